import { isSecure } from "#core/client-info.ts";
import type { Route } from "#core/request.ts";
import { readBytes } from "../body.ts";
import type { Mount } from "../mount.ts";
import { privateHeaders } from "../page-headers.ts";
import type { RequestContext } from "../request-context.ts";
import { requireSameOrigin } from "../same-origin.ts";
import { requireStorableAddress } from "./form.ts";

/** The longest form is a passkey's attestation, of a few kilobytes. */
const FORM_BYTES_MAX = 16 * 1024;

interface PrivateMount {
  readonly prefix: string;
  readonly route: Route;
  fetch(context: RequestContext): Promise<Response>;
}

/** A mount for private addresses: it accepts changes from the same origin only, and sends none of the API's headers. */
export function privateMount({ prefix, route, fetch }: PrivateMount): Mount {
  return {
    prefix,
    route,
    headers: ({ client }) => privateHeaders(isSecure(client.origin)),
    async fetch(context) {
      requireSameOrigin(context.method, context.client);
      requireStorableAddress(context.request.url);
      if (context.arrived.body) context.replaceBody(await readBytes(context, FORM_BYTES_MAX));
      return fetch(context);
    },
  };
}

/** Each cookie needs a header line of its own (RFC 6265, 3). */
export function setCookies(headers: Headers, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
}
