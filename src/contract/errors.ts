import type { FailureCode, SignedInFailureCode } from "#core/failure.ts";
import { DASHBOARD_ERRORS } from "./dashboard-errors.ts";

/** What each failure is on the wire: `error` is the HTTP status times 100 plus a number, and never changes meaning. */
export interface ErrorMeaning {
  readonly error: number;
  readonly status: number;
  readonly when: string;
}

export type PublicFailureCode = Exclude<FailureCode, SignedInFailureCode>;

export const ERRORS: Readonly<Record<PublicFailureCode, ErrorMeaning>> = {
  "body-not-json": meaning(40001, "the body is not JSON (not UTF-8, malformed, empty)"),
  "body-not-a-plant": meaning(40002, "the body is not an object, or a required member is missing"),
  "member-invalid": meaning(40003, "a member has the wrong type, or is out of range"),
  "address-malformed": meaning(
    40004,
    "a query parameter or path segment is malformed, or an id in the path is outside int64",
  ),
  "token-missing": meaning(40101, "no token was sent"),
  "token-refused": meaning(40102, "the token is unknown, malformed, expired or revoked, or sent twice"),
  "scope-missing": meaning(40301, "the token lacks the scope"),
  "address-unknown": meaning(40401, "no such address"),
  "version-unknown": meaning(40402, "no such version"),
  "plant-unknown": meaning(40403, "no such plant"),
  "method-not-allowed": meaning(40501, "method not allowed; `Allow` names those that are"),
  "not-acceptable": meaning(40601, "no representation that `Accept` allows (lists and exports only)"),
  "id-taken": meaning(40901, "the id is taken by a different plant"),
  "precondition-failed": meaning(41201, "`If-Match` does not hold"),
  "body-too-large": meaning(41301, "body over 1 MiB; in bulk, a record over 1 MiB"),
  "media-type-unsupported": meaning(41501, "content type not accepted (none given with a body counts as JSON)"),
  "rate-limited": meaning(42901, "rate limit; `Retry-After` says when to come back"),
  fault: meaning(50001, "a fault of ours; the message holds nothing but the request id"),
  "method-unknown": meaning(50101, "no method of HTTP that this service knows; methods are case-sensitive"),
  unavailable: meaning(50301, "overloaded or shutting down, or storage full or out of reach; `Retry-After`"),
};

export function errorMeaning(code: FailureCode): Pick<ErrorMeaning, "error" | "status"> {
  return code in DASHBOARD_ERRORS ? DASHBOARD_ERRORS[code as SignedInFailureCode] : ERRORS[code as PublicFailureCode];
}

/** The Error shape of the interface: exactly these two fields. */
export function errorBody(error: number, message: string): string {
  return JSON.stringify({ error, message });
}

function meaning(error: number, when: string): ErrorMeaning {
  return { error, status: Math.floor(error / 100), when };
}
