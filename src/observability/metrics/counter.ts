import type { MetricName } from "./catalogue.ts";
import type { Labels, Series } from "./exposition.ts";

/** A counter with labels. The values of labels come from closed sets, so the number of series is bounded. */
export class Counter {
  readonly #name: MetricName;
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  /** The series with `known` labels start at 0, since a rate cannot see the first count of a series that begins with it. */
  constructor(name: MetricName, known: readonly Labels[] = []) {
    this.#name = name;
    for (const labels of known) this.of(labels);
  }

  add(labels: Labels, count = 1): void {
    this.of(labels).value += count;
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

  *series(): Generator<Series> {
    for (const { labels, value } of this.#series.values()) yield { name: this.#name, labels, value };
  }
}
