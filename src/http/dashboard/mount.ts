import { isSecure } from "#core/client-info.ts";
import type { Route } from "#core/request.ts";
import { FORMS } from "#load/limits.ts";
import { readBytes } from "../body.ts";
import type { Mount } from "../mount.ts";
import { privateHeaders } from "../page-headers.ts";
import type { RequestContext } from "../request-context.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { requireStorableAddress } from "./form.ts";

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

/** Each cookie needs a header line of its own (RFC 6265, 3). */
export function setCookies(headers: Headers, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
}
