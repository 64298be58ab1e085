/** Every way in which a request can be refused. `#contract/errors.ts` gives the number and status of each. */
export type FailureCode =
  | "body-not-json"
  | "body-not-a-plant"
  | "member-invalid"
  | "address-malformed"
  | "token-missing"
  | "token-refused"
  | "scope-missing"
  | "page-refused"
  | "account-suspended"
  | "https-required"
  | "address-unknown"
  | "version-unknown"
  | "plant-unknown"
  | "not-found"
  | "method-not-allowed"
  | "not-acceptable"
  | "id-taken"
  | "account-limit"
  | "cursor-expired"
  | "precondition-failed"
  | "body-too-large"
  | "media-type-unsupported"
  | "request-timeout"
  | "rate-limited"
  | "fault"
  | "method-unknown"
  | "unavailable"
  | SignedInFailureCode;

/** Refusals that only sign-in and the dashboard's routes give. They are not part of the public error table. */
export type SignedInFailureCode =
  | "session-missing"
  | "sign-in-refused"
  | "second-factor-refused"
  | "origin-refused"
  | "password-refused"
  | "sign-up-refused"
  | "proof-needed"
  | "link-refused"
  | "role-refused"
  | "invitation-for-another"
  | "second-factor-missing"
  | "identity-unknown"
  | "identity-refused"
  | "provider-required"
  | "identity-taken"
  | "provider-unavailable"
  | "resource-unknown"
  | "account-exists"
  | "member-already"
  | "last-owner"
  | "changed-meanwhile"
  | "last-way-in";

/**
 * The one error type. `message` is public: one sentence for a person that says what is wrong, where, and what would be
 * right. It never repeats a token. `cause` is for the log alone.
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

/** A database that this program can never serve as it is. The program does not retry, and exits with 2. */
export class UnusableDatabase extends Error {}

/** The database that a command should use does not exist. */
export class MissingDatabase extends UnusableDatabase {}

const reported = new WeakSet<Error>();

/** Marks an error that the log already explains, so that no other line repeats it. */
export function markReported(error: unknown): void {
  if (error instanceof Error) reported.add(error);
}

/** True also if it was caused by an error that is marked. */
export function isReported(error: unknown): boolean {
  return error instanceof Error && (reported.has(error) || isReported(error.cause));
}

export function sessionMissing(): Failure {
  return new Failure("session-missing", "You are not signed in, or the session is over: sign in");
}

/** The disk, the database or its lock is out of reach. It passes with time, or an operator resolves it. */
export function storageUnavailable(cause?: unknown): Failure {
  return unavailable("The storage cannot take or give it just now; nothing of it was kept. Try again.", cause);
}

/** The refusal of a write that may have taken effect. `problem` begins its sentence. */
export function unconfirmed(problem: string, cause: unknown): Failure {
  return unavailable(`${problem}, so it may have been kept or not. Send it again: to repeat it is safe.`, cause);
}

/** Storage cannot write or read at the moment: the disk is full or read-only, the database locked, out of reach or overloaded. */
export function unavailable(message: string, cause?: unknown): Failure {
  return new Failure("unavailable", message, { cause, headers: { "Retry-After": "1" } });
}

interface AtOnce {
  /** 5 by default. */
  readonly retryAfterS?: number | undefined;
  readonly holder?: "account" | "person" | "network" | "service";
  /** A unit of the draft; requests by default. */
  readonly unit?: "concurrent-requests" | "content-bytes" | undefined;
}

/**
 * The refusal of a caller that already has `max` of something running. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-10, with its quota units.
 *
 * @param name in the plural, as in "exports"
 */
export function tooManyAtOnce(
  name: string,
  max: number,
  { retryAfterS = 5, holder = "account", unit = "concurrent-requests" }: AtOnce = {},
): Failure {
  const amount = unit === "content-bytes" ? `up to ${max / 1024 / 1024} MiB of` : max;
  return new Failure("rate-limited", `This ${holder} has ${amount} ${name} under way; wait for one to end`, {
    headers: {
      "Retry-After": String(retryAfterS),
      "RateLimit-Policy": `"${name}";q=${max};qu="${unit}"`,
      RateLimit: `"${name}";r=0;t=${retryAfterS}`,
    },
  });
}
