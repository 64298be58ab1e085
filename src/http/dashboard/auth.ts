import { Failure } from "#core/failure.ts";
import type { Mount } from "../service.ts";
import type { SignInRequest } from "../sessions.ts";
import type { DashboardContext } from "./dashboard-context.ts";
import { readOptionalJson } from "./form.ts";
import { privateMount } from "./mount.ts";
import { setCookies } from "./reply.ts";

const AUTH = "/auth";

/** All that is served under `/auth`; what else better-auth could answer is not reachable. */
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
  return privateMount(context, AUTH, async (request, client, requestId) => {
    const url = new URL(request.url);
    const path = url.pathname.slice(AUTH.length);
    const method = METHODS[path];
    if (!method) throw new Failure("address-unknown", "There is no such address for signing in");
    if (request.method !== method) throw notAllowed(method);
    const body = method === "POST" ? await readOptionalJson(request) : undefined;
    const answer = await context.sessions.answer(client, { method, path, query: url.search, body });
    if (body) context.log.info({ requestId, path: url.pathname, address: client.address }, "authentication accepted");
    const response = Response.json(answer.body ?? {});
    setCookies(response.headers, answer.cookies);
    return response;
  });
}

function notAllowed(method: string): Failure {
  return new Failure("method-not-allowed", `Only ${method} is allowed here`, { headers: { Allow: method } });
}
