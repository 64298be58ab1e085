import { type Labels, METRICS, type Meter, type MetricName } from "#core/metrics.ts";

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

/** Keeps the figures of the catalogue of metrics. */
export class Figures implements Meter {
  /** The series of each metric, by the values of their labels. */
  readonly #families = new Map<MetricName, Map<string, Series>>();

  constructor() {
    for (const [key, { labels, begin }] of Object.entries(METRICS)) {
      const name = key as MetricName;
      this.#families.set(name, new Map());
      for (const value of begin) this.#series(name, Object.fromEntries(labels.map((label) => [label, value])));
    }
  }

  count(name: MetricName, labels?: Labels): void {
    this.counter(name, labels).value++;
  }

  observe(name: MetricName, value: number): void {
    this.histogram(name).observe(value);
  }

  gauge(name: MetricName, read: () => number, labels: Labels = {}): void {
    const series = {
      name,
      labels,
      get value() {
        return read();
      },
    };
    this.#families.get(name)?.set(keyOf(labels), series);
  }

  /** The series of a counter, to count without a look-up each time. */
  counter(name: MetricName, labels?: Labels): { value: number } {
    return this.#series(name, labels) as { value: number };
  }

  histogram(name: MetricName, labels?: Labels): Histogram {
    return this.#series(name, labels).value as Histogram;
  }

  /** All series, in the order of the catalogue. */
  *series(): Generator<Series> {
    for (const family of this.#families.values()) yield* family.values();
  }

  /** A series that is not there yet begins at 0. */
  #series(name: MetricName, labels: Labels = {}): Series {
    const family = this.#families.get(name) as Map<string, Series>;
    const key = keyOf(labels);
    const known = family.get(key);
    if (known) return known;
    const bounds = name === "plantstore_batch_rows" ? ROWS_BOUNDS : SECONDS_BOUNDS;
    const series = { name, labels, value: METRICS[name].type === "histogram" ? new Histogram(bounds) : 0 };
    family.set(key, series);
    return series;
  }
}

function keyOf(labels: Labels): string {
  return Object.values(labels).join(" ");
}
