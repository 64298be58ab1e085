/** Every way in which a request can be refused; what each means on the wire stands in `#contract/errors.ts`. */
export type FailureCode =
  | "body-not-json"
  | "body-not-a-plant"
  | "member-invalid"
  | "address-malformed"
  | "token-missing"
  | "token-refused"
  | "scope-missing"
  | "address-unknown"
  | "version-unknown"
  | "plant-unknown"
  | "method-not-allowed"
  | "not-acceptable"
  | "id-taken"
  | "precondition-failed"
  | "body-too-large"
  | "media-type-unsupported"
  | "rate-limited"
  | "fault"
  | "method-unknown"
  | "unavailable"
  | SignedInFailureCode;

/** What only signing in and the dashboard's own routes refuse; no part of the public error table. */
export type SignedInFailureCode =
  | "session-missing"
  | "sign-in-refused"
  | "second-factor-refused"
  | "origin-refused"
  | "password-refused"
  | "sign-up-refused"
  | "session-stale"
  | "resource-unknown"
  | "account-exists";

/**
 * The one error type. `message` is public: one sentence for a person that says what is wrong, where, and what would
 * be right, and never repeats a token. What only the log may know goes into `cause`.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly detail: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: detail.cause });
  }
}

/** Storage cannot take or give it just now: disk full, read-only, locked, out of reach, overloaded. */
export function unavailable(message: string, cause?: unknown): Failure {
  return new Failure("unavailable", message, { cause, headers: { "Retry-After": "1" } });
}
