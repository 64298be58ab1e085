import { AUTH_METHODS, isAuthPath } from "#core/auth.ts";
import { isSecure } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Route } from "#core/request.ts";
import { FORMS } from "#load/limits.ts";
import { readBytes } from "../body.ts";
import type { Mount } from "../mount.ts";
import { privateHeaders } from "../page-headers.ts";
import { methodNotAllowed } from "../refusals.ts";
import type { RequestContext } from "../request-context.ts";
import { requireSameOrigin } from "../same-origin.ts";
import type { DashboardContext } from "./dashboard-context.ts";
import { readOptionalJson, requireStorableAddress } from "./form.ts";

/**
 * A mount for private addresses: it accepts changes from the same origin only, and sends none of the API's headers. The
 * body of `request` has arrived and been checked.
 */
export function privateMount(
  prefix: string,
  route: Route,
  answer: (context: RequestContext, request: Request) => Promise<Response>,
): Mount {
  return {
    prefix,
    route,
    headers: ({ client }) => privateHeaders(isSecure(client.origin)),
    async fetch(context) {
      requireSameOrigin(context.method, context.client);
      requireStorableAddress(context.url);
      if (!context.raw.body) return answer(context, context.absolute);
      const { url, method, raw } = context;
      const body = await readBytes(context, FORMS.each);
      return answer(context, new Request(url, { method, headers: raw.headers, body }));
    },
  };
}

export function authRoutes({ routes }: DashboardContext): Mount {
  return privateMount("/auth", "auth", async ({ client }, request) => {
    const path = new URL(request.url).pathname.slice("/auth".length);
    if (!isAuthPath(path)) throw new Failure("address-unknown", "There is no such address for signing in");
    const method = AUTH_METHODS[path];
    if (request.method !== method) throw methodNotAllowed(request.method, [method]);
    const body = method === "POST" ? await readOptionalJson(request) : undefined;
    const answered = await routes.answer(client, path, body);
    const response = Response.json(answered.body);
    setCookies(response.headers, answered.cookies);
    return response;
  });
}

/** Each cookie needs a header line of its own (RFC 6265, 3). */
export function setCookies(headers: Headers, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
}
