import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";

/** Temporary refusals, before which the service did nothing. */
const PASSING: ReadonlySet<number> = new Set([ERROR_NUMBERS["rate-limited"], ERROR_NUMBERS.unavailable]);

/** True if the service may have carried out the request nevertheless. */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof PlantstoreUnreachable && error.reason !== "answer";
}

/**
 * True if another try can help and does no harm: always if the service itself said that it did nothing, and for a
 * `repeatable` call also if the outcome is unknown.
 */
export function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (leavesDoubt(error)) return repeatable;
  return error instanceof PlantstoreError && PASSING.has(error.error);
}
