import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";

const BASE_MS = 200;
const DELAY_MS_MAX = 10_000;
/** Temporary refusals, before which the service did nothing. */
const PASSING: ReadonlySet<number> = new Set([ERROR_NUMBERS["rate-limited"], ERROR_NUMBERS.unavailable]);

/** True if the service may have carried out the request nevertheless. */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof PlantstoreUnreachable && error.sent;
}

/** True if nothing was sent, for a reason that passes: the service restarts, or a name server is away. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof PlantstoreUnreachable && !error.sent && error.reason === "network";
}

/**
 * True if another try can help and does no harm: always if the service itself said that it did nothing, or nothing was sent,
 * and for a `repeatable` call also if the outcome is unknown.
 */
export function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (leavesDoubt(error)) return repeatable;
  if (wasNotSent(error)) return true;
  return error instanceof PlantstoreError && PASSING.has(error.error);
}

/**
 * The wait before the next try: full jitter over an exponential bound, as in "Exponential Backoff And Jitter"
 * (AWS Architecture Blog, 2015), after the wait that the service asked for. The jitter comes on top of `retryAfterMs`, so that
 * clients that were refused together do not come back together.
 *
 * @param triesFailed 1 after the first try
 * @param random a number from 0 to 1
 */
export function backoffMs(triesFailed: number, random: number, retryAfterMs = 0): number {
  return retryAfterMs + random * Math.min(DELAY_MS_MAX, BASE_MS * 2 ** (triesFailed - 1));
}
