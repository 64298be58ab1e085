import { ERROR_NUMBERS, type ErrorCode } from "#contract/error-numbers.ts";

export interface Refusal {
  /** The service's own number, such as 40901; /docs lists all of them. */
  readonly error: number;
  /** The HTTP status (RFC 9110, 15). */
  readonly status: number;
  /** The id to quote in a report. */
  readonly requestId?: string;
  /** The wait that the service asks for (`Retry-After`). */
  readonly retryAfterMs?: number;
  /** True if an earlier try of the same call got no answer and may have been carried out. */
  readonly inDoubt?: boolean;
}

const CODES = new Map<number, ErrorCode>(
  Object.entries(ERROR_NUMBERS).map(([code, error]) => [error, code as ErrorCode]),
);

/** The service refused a call. `code` is the name of the reason, and `error` its number. */
export class PlantstoreError extends Error {
  override readonly name = "PlantstoreError";
  readonly error: number;
  /** The name of the error, as in "id-taken"; undefined for an error that is newer than this client. */
  readonly code: ErrorCode | undefined;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly inDoubt: boolean;

  constructor(message: string, { error, status, requestId, retryAfterMs, inDoubt = false }: Refusal) {
    super(message);
    this.error = error;
    this.code = CODES.get(error);
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.inDoubt = inDoubt;
  }
}

/**
 * There was no answer from the service. `reason` tells why:
 * - "network": it was not reached, or the connection broke
 * - "timeout": it took too long
 * - "gateway": something before it answered for it, with 429, 502, 503 or 504
 * - "answer": what answered is no Plantstore; probably the url is wrong
 * - "address": the name in the url does not exist, or its certificate is refused; trying again would not help
 *
 * The service may have carried out the request all the same, if `sent` is true.
 */
export class PlantstoreUnreachable extends Error {
  override readonly name = "PlantstoreUnreachable";
  readonly reason: "network" | "timeout" | "gateway" | "answer" | "address";
  readonly retryAfterMs: number | undefined;
  /** False if the service cannot have received the request: nothing was sent, or no Plantstore is there. */
  readonly sent: boolean;

  constructor(
    reason: PlantstoreUnreachable["reason"],
    message: string,
    {
      cause,
      retryAfterMs,
      sent = true,
    }: { readonly cause?: unknown; readonly retryAfterMs?: number; readonly sent?: boolean } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.sent = sent && reason !== "answer" && reason !== "address";
  }
}
