import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";

const UNAVAILABLE = 50301;

/** Statuses that say nothing about the call itself, from the service or from a proxy before it. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** True if what was asked for may have been done all the same. */
export function leavesDoubt(error: unknown): boolean {
  if (error instanceof PlantstoreUnreachable) return error.reason !== "answer";
  return error instanceof PlantstoreError && PASSING_STATUSES.has(error.status) && error.error !== UNAVAILABLE;
}

/**
 * True if another try can help and can do no harm. A call that is not `repeatable` is tried again only when the service
 * itself said that it did nothing (429, 50301).
 */
export function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (leavesDoubt(error)) return repeatable;
  return error instanceof PlantstoreError && (error.status === 429 || error.error === UNAVAILABLE);
}
