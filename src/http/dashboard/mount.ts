import type { Route } from "#core/request.ts";
import { privateHeaders } from "../page-headers.ts";
import type { RequestContext } from "../request-context.ts";
import { requireSameOrigin } from "../same-origin.ts";
import type { Mount } from "../service.ts";
import { requireStorableAddress } from "./storable-text.ts";

interface PrivateMount {
  readonly prefix: string;
  readonly route: Route;
  fetch(context: RequestContext): Promise<Response>;
}

/** Private addresses: changes from the same origin only, and no header of the API. */
export function privateMount({ prefix, route, fetch }: PrivateMount): Mount {
  return {
    prefix,
    route,
    headers: ({ client }) => privateHeaders(client.secure),
    async fetch(context) {
      requireSameOrigin(context.method, context.client);
      requireStorableAddress(context.request.url);
      return fetch(context);
    },
  };
}
