import { isRefusal, OUTCOME_CREATED, type UsageSlice } from "#core/usage.ts";

/** What was counted, added up. */
export function totals(slices: readonly UsageSlice[]): { created: number; errors: number; answers: number } {
  const sum = { created: 0, errors: 0, answers: 0 };
  for (const { outcome, count } of slices) {
    sum.answers += count;
    if (outcome === OUTCOME_CREATED) sum.created += count;
    else if (isRefusal(outcome)) sum.errors += count;
  }
  return sum;
}

/** How often each error was answered, the most frequent first. */
export function errorsOf(slices: readonly UsageSlice[]): { error: number; count: number }[] {
  const counts = new Map<number, number>();
  for (const { outcome, count } of slices) {
    if (isRefusal(outcome)) counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  }
  return [...counts].map(([error, count]) => ({ error, count })).sort((a, b) => b.count - a.count);
}
