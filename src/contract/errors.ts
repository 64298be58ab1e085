import { Failure, type FailureCode, type SignedInFailureCode } from "#core/failure.ts";
import { DASHBOARD_ERRORS } from "./dashboard/errors.ts";
import { ERROR_NUMBERS } from "./error-numbers.ts";

type PublicFailureCode = Exclude<FailureCode, SignedInFailureCode>;

const NUMBERS: Readonly<Record<PublicFailureCode, number>> = ERROR_NUMBERS;

export interface ErrorMeaning {
  readonly error: number;
  readonly status: number;
  readonly when: string;
}

const WHEN: Readonly<Record<PublicFailureCode, string>> = {
  "body-not-json": "the body is not JSON (not UTF-8, malformed, empty)",
  "body-not-a-plant": "the body is not an object, or a required member is missing",
  "member-invalid":
    "a member has the wrong type, is out of range, or is not known where members must be: the message names it",
  "address-malformed": "a query parameter or path segment is malformed, or an id in the path is outside int64",
  "token-missing": "no token was sent",
  "token-refused": "the token is unknown, malformed, expired or revoked, or sent twice",
  "scope-missing": "the token lacks the scope",
  "page-refused": "a web page of another origin called an address that takes none (`/mcp`)",
  "account-suspended":
    "the account was suspended by whoever runs the service; the message has the reason, if there is one",
  "https-required": "a token was sent over plain http to a service that speaks HTTPS: use https, and replace the token",
  "address-unknown": "no such address",
  "version-unknown": "no such version",
  "plant-unknown": "no such plant",
  "not-found": "no such event, webhook endpoint or delivery",
  "method-not-allowed": "method not allowed; `Allow` names those that are",
  "not-acceptable": "no representation that `Accept` allows (lists and exports only)",
  "id-taken": "the id is taken by a different plant",
  "account-limit":
    "a limit of the account is reached (tokens, webhook endpoints, 1,000,000 different ids in a dry run), which the message names, or the same secret is being rolled already",
  "cursor-expired": "the cursor is older than the events that are kept",
  "precondition-failed": "a condition (`If-Match`, `If-None-Match`) does not hold",
  "request-timeout": "the body did not arrive in time",
  "body-too-large": "body over 1 MiB; in bulk, a record over 1 MiB",
  "media-type-unsupported": "content type not accepted (none given with a body counts as JSON)",
  "rate-limited": "rate limit; `Retry-After` says when to come back",
  fault: "a fault of the service; the message holds nothing but the request id",
  "method-unknown": "no method of HTTP that this service knows; methods are case-sensitive",
  unavailable:
    "overloaded or shutting down, or storage full or out of reach: wait for `Retry-After` seconds, then send the request again",
};

export const ERRORS = Object.fromEntries(
  Object.entries(NUMBERS).map(([code, error]) => [
    code,
    { error, status: statusOf(error), when: WHEN[code as PublicFailureCode] },
  ]),
) as Readonly<Record<PublicFailureCode, ErrorMeaning>>;

const ALL: Readonly<Record<FailureCode, { readonly error: number }>> = { ...ERRORS, ...DASHBOARD_ERRORS };

export function errorMeaning(code: FailureCode): Pick<ErrorMeaning, "error" | "status"> {
  const { error } = ALL[code];
  return { error, status: statusOf(error) };
}

function statusOf(error: number): number {
  return Math.floor(error / 100);
}

/** The number with which an error is answered. An error that is not a Failure is a fault of the service. */
export function errorNumber(error: unknown): number {
  return errorMeaning(error instanceof Failure ? error.code : "fault").error;
}

/** The Error shape of the interface: exactly these two fields. */
export function errorBody(error: number, message: string): string {
  return JSON.stringify({ error, message });
}
