import type { MetricName } from "./catalogue.ts";

export type Labels = Readonly<Record<string, string>>;

/** One series of a metric: a number or a histogram. */
export interface Series {
  readonly name: MetricName;
  readonly labels?: Labels;
  readonly value: number | Histogram;
}

/** Upper bounds in seconds, from half a millisecond to ten seconds. */
export const SECONDS_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
export const ROWS_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;

/** Counts values by their bounds. A value costs a few comparisons and two additions. */
export class Histogram {
  /** The counts by bound, and finally the count of values above all bounds. They are not cumulative. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
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

/** A counter with labels. The values of labels come from closed sets, so the number of series is bounded. */
export class Counter {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  /** The series with `known` labels start at 0, since a rate cannot see the first count of a series that begins with it. */
  constructor(
    private readonly name: MetricName,
    known: readonly Labels[] = [],
  ) {
    for (const labels of known) this.of(labels);
  }

  add(labels: Labels): void {
    this.of(labels).value++;
  }

  /** The series with these labels, for counting without a look-up each time. */
  of(labels: Labels): { value: number } {
    const key = Object.values(labels).join(" ");
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, value: 0 };
      this.#series.set(key, series);
    }
    return series;
  }

  /** A counter of outcomes. */
  static ofOutcomes(name: MetricName, ...outcomes: readonly string[]): Counter {
    const known = outcomes.map((outcome) => ({ outcome }));
    return new Counter(name, known);
  }

  *series(): Generator<Series> {
    for (const { labels, value } of this.#series.values()) yield { name: this.name, labels, value };
  }
}
