/** Counting stops at this many matches. */
export const MATCHES_COUNTED_MAX = 100_000;

export interface MatchCount {
  readonly count: number;
  /** True if counting stopped before the end, so that at least `count` plants match. */
  readonly atLeast: boolean;
}
