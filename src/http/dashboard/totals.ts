import { isRefusal, type LatencySlice, OUTCOME_CREATED, type UsageSlice } from "#core/usage.ts";

/** The sums of created plants, of refused requests, and of all other requests. */
export function totals(counts: readonly UsageSlice[]): { created: number; other: number; errors: number } {
  const sum = { created: 0, other: 0, errors: 0 };
  for (const { outcome, count } of counts) {
    if (outcome === OUTCOME_CREATED) sum.created += count;
    else if (isRefusal(outcome)) sum.errors += count;
    else sum.other += count;
  }
  return sum;
}

/** The number of requests: each has one response time, also an import of many plants. */
export function requestsOf(times: readonly LatencySlice[]): number {
  return times.reduce((sum, { count }) => sum + count, 0);
}

/** The number of answers with each error, the most frequent first. */
export function errorsOf(counts: readonly UsageSlice[]): { error: number; count: number }[] {
  const byError = new Map<number, number>();
  for (const { outcome, count } of counts) {
    if (isRefusal(outcome)) byError.set(outcome, (byError.get(outcome) ?? 0) + count);
  }
  return [...byError].map(([error, count]) => ({ error, count })).sort((a, b) => b.count - a.count);
}
