import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";

/** The service refused for the moment, and did nothing. */
const PASSING: ReadonlySet<number> = new Set([42901, 50301]);

/** True if what was asked for may have been done all the same. */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof PlantstoreUnreachable && error.reason !== "answer";
}

/**
 * True if another try can help and can do no harm: always after the service itself said that it did nothing, and for a
 * `repeatable` call also when nobody knows.
 */
export function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (leavesDoubt(error)) return repeatable;
  return error instanceof PlantstoreError && PASSING.has(error.error);
}
