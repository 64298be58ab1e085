import { MATCHES_COUNTED_MAX, type MatchCount } from "#core/match-count.ts";

/** With 20,000 plants read in each, a count reads at most 400,000. */
const SLICES_MAX = 20;
/** A count that comes later than this is of no use to the reader of a list. */
const COUNTING_MS_MAX = 3000;

/** The matches among some plants, and where the next slice starts. */
export interface CountedSlice {
  readonly count: number;
  /** Undefined at the end. */
  readonly next: bigint | undefined;
}

/** Counts in slices, between which searches of other accounts pass. */
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
