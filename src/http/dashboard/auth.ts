import { AUTH_METHODS, isAuthPath } from "#core/auth.ts";
import { Failure } from "#core/failure.ts";
import type { Mount } from "../mount.ts";
import { methodNotAllowed } from "../refusals.ts";
import type { RequestContext } from "../request-context.ts";
import type { DashboardContext } from "./dashboard-context.ts";
import { readOptionalJson } from "./form.ts";
import { privateMount, setCookies } from "./mount.ts";

const AUTH = "/auth";

export function authRoutes(context: DashboardContext): Mount {
  const answer = async ({ request, client }: RequestContext) => {
    const path = new URL(request.url).pathname.slice(AUTH.length);
    if (!isAuthPath(path)) throw new Failure("address-unknown", "There is no such address for signing in");
    const method = AUTH_METHODS[path];
    if (request.method !== method) throw methodNotAllowed(request.method, [method]);
    const body = method === "POST" ? await readOptionalJson(request) : undefined;
    const { body: answered, cookies } = await context.sessions.answer(client, { path, body });
    const response = Response.json(answered);
    setCookies(response.headers, cookies);
    return response;
  };
  return privateMount({ prefix: AUTH, route: "auth", fetch: answer });
}
