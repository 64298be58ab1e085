import type { MetricName } from "./catalogue.ts";
import type { Labels, Series } from "./exposition.ts";

/** A counter with labels. Their values come from closed sets, so that the number of series is bounded. */
export class Counter {
  readonly #name: MetricName;
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: MetricName) {
    this.#name = name;
  }

  add(labels: Labels, count = 1): void {
    const key = Object.values(labels).join(" ");
    const series = this.#series.get(key);
    if (series) series.value += count;
    else this.#series.set(key, { labels, value: count });
  }

  *series(): Generator<Series> {
    for (const { labels, value } of this.#series.values()) yield { name: this.#name, labels, value };
  }
}
