/** Upper bounds in seconds, from half a millisecond to ten seconds. */
export const SECONDS_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
export const ROWS_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

/** Counts values by their bounds. A value costs a few comparisons and two additions. */
export class Histogram {
  readonly bounds: readonly number[];
  /** The counts by bound, and finally the count of values above all bounds. They are not cumulative. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }
}
