import { Failure } from "#core/failure.ts";
import type { RequestContext } from "../request-context.ts";
import type { Mount } from "../service.ts";
import type { SignInRequest } from "../sessions.ts";
import type { DashboardContext } from "./dashboard-context.ts";
import { readOptionalJson } from "./form.ts";
import { privateMount } from "./mount.ts";
import { setCookies } from "./reply.ts";

const AUTH = "/auth";

/** Every address under `/auth`, with its method. */
const METHODS: Readonly<Record<string, SignInRequest["method"]>> = {
  "/sign-in/email": "POST",
  "/sign-out": "POST",
  "/change-password": "POST",
  "/two-factor/enable": "POST",
  "/two-factor/disable": "POST",
  "/two-factor/generate-backup-codes": "POST",
  "/two-factor/verify-totp": "POST",
  "/two-factor/verify-backup-code": "POST",
  "/passkey/generate-register-options": "GET",
  "/passkey/verify-registration": "POST",
  "/passkey/generate-authenticate-options": "GET",
  "/passkey/verify-authentication": "POST",
  "/passkey/list-user-passkeys": "GET",
  "/passkey/update-passkey": "POST",
  "/passkey/delete-passkey": "POST",
};

export function authRoutes(context: DashboardContext): Mount {
  const answer = async ({ request, client }: RequestContext) => {
    const path = new URL(request.url).pathname.slice(AUTH.length);
    const method = METHODS[path];
    if (!method) throw new Failure("address-unknown", "There is no such address for signing in");
    if (request.method !== method) throw notAllowed(method);
    const body = method === "POST" ? await readOptionalJson(request) : undefined;
    const { body: answered, cookies } = await context.sessions.answer(client, { method, path, body });
    const response = Response.json(answered);
    setCookies(response.headers, cookies);
    return response;
  };
  return privateMount({ prefix: AUTH, route: "auth", fetch: answer });
}

function notAllowed(method: string): Failure {
  return new Failure("method-not-allowed", `Only ${method} is allowed here`, { headers: { Allow: method } });
}
