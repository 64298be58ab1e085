import { Failure } from "#core/failure.ts";
import { refusal } from "../answer.ts";
import type { ClientInfo } from "../client-info.ts";
import { requireSameOrigin } from "../same-origin.ts";
import type { Mount } from "../service.ts";
import type { DashboardContext } from "./dashboard-context.ts";
import { asPrivate } from "./reply.ts";

export type PrivateFetch = (request: Request, client: ClientInfo, requestId: string) => Promise<Response>;

/** Private addresses: same origin only for changes, refusals in the Error shape, never a header of the API's. */
export function privateMount(context: DashboardContext, prefix: string, fetch: PrivateFetch): Mount {
  return {
    prefix,
    async fetch(request, requestId) {
      const client = context.clientInfoOf(request);
      try {
        requireSameOrigin(request.method, client);
        return asPrivate(await fetch(request, client, requestId), client, requestId);
      } catch (error) {
        logRefusal(context, error, client, request, requestId);
        return asPrivate(refusal(error, requestId), client, requestId);
      }
    },
  };
}

/** Who tries to get in, from where, and what was refused; never a password, a code or a cookie. */
function logRefusal(
  context: DashboardContext,
  error: unknown,
  client: ClientInfo,
  request: Request,
  requestId: string,
): void {
  const { pathname: path } = new URL(request.url);
  const fields = { requestId, path, address: client.address };
  if (!(error instanceof Failure) || error.code === "fault") {
    context.log.error({ ...fields, err: error }, "request failed");
  } else if (error.code === "unavailable") {
    context.log.error({ ...fields, err: error.cause ?? error }, "request failed");
  } else if (SUSPICIOUS.has(error.code)) {
    context.log.warn({ ...fields, reason: error.code }, "sign-in refused");
  }
}

const SUSPICIOUS: ReadonlySet<string> = new Set([
  "sign-in-refused",
  "second-factor-refused",
  "password-refused",
  "sign-up-refused",
  "origin-refused",
  "rate-limited",
]);
