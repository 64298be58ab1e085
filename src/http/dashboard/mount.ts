import { Failure } from "#core/failure.ts";
import { refusal } from "../answer.ts";
import { requireSameOrigin } from "../same-origin.ts";
import type { Mount } from "../service.ts";
import type { Visitor } from "../visitor.ts";
import type { Desk } from "./desk.ts";
import { asPrivate } from "./reply.ts";

export type PrivateFetch = (request: Request, visitor: Visitor, requestId: string) => Promise<Response>;

/** Private addresses: same origin only for changes, refusals in the Error shape, never a header of the API's. */
export function privateMount(desk: Desk, prefix: string, fetch: PrivateFetch): Mount {
  return {
    prefix,
    async fetch(request, requestId) {
      const visitor = desk.visitorOf(request);
      try {
        requireSameOrigin(request.method, visitor);
        return asPrivate(await fetch(request, visitor, requestId), visitor, requestId);
      } catch (error) {
        logRefusal(desk, error, visitor, request, requestId);
        return asPrivate(refusal(error, requestId), visitor, requestId);
      }
    },
  };
}

/** Who tries to get in, from where, and what was refused; never a password, a code or a cookie. */
function logRefusal(desk: Desk, error: unknown, visitor: Visitor, request: Request, requestId: string): void {
  const { pathname: path } = new URL(request.url);
  const fields = { requestId, path, address: visitor.address };
  if (!(error instanceof Failure) || error.code === "fault") {
    desk.log.error({ ...fields, err: error }, "request failed");
  } else if (error.code === "unavailable") {
    desk.log.error({ ...fields, err: error.cause ?? error }, "request failed");
  } else if (SUSPICIOUS.has(error.code)) {
    desk.log.warn({ ...fields, reason: error.code }, "sign-in refused");
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
