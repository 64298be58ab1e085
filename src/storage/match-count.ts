import { MATCHES_COUNTED_MAX, type MatchCount } from "#core/match-count.ts";

/** Each slice reads 20,000 plants, so a count reads at most 400,000. */
const SLICES_MAX = 20;
/** A count that takes longer is of no use to the reader of a list. */
const COUNTING_MS_MAX = 3000;

/** The matches among some plants, and the start of the next slice. */
export interface CountedSlice {
  readonly count: number;
  /** Undefined at the end. */
  readonly next: bigint | undefined;
}

/** Counts in slices, so that searches of other accounts pass between them. */
export async function countInSlices(
  countSlice: (after: bigint | undefined) => Promise<CountedSlice>,
  nowMs: () => number = () => performance.now(),
): Promise<MatchCount> {
  let count = 0;
  let after: bigint | undefined;
  const end = nowMs() + COUNTING_MS_MAX;
  for (let slices = 0; slices < SLICES_MAX && nowMs() < end; slices++) {
    const slice = await countSlice(after);
    count += slice.count;
    if (count > MATCHES_COUNTED_MAX) return { count: MATCHES_COUNTED_MAX, atLeast: true };
    if (slice.next === undefined) return { count, atLeast: false };
    after = slice.next;
  }
  return { count, atLeast: true };
}
