/** The tables of rates and latencies. */
import type { Results } from "#harness/results.ts";
import { cost, type Kind, ours, ranked, rate, spreadOf, timesAsMany } from "./figures.ts";
import { range, table, times } from "./words.ts";

const head = ["", "creates each second", "Plantstore on SQLite", "processor µs each", "p50 ms", "p99 ms", "worst ms"];

export function speedTable(results: Results, kind: Kind): string {
  const rows = ranked(results).map(({ name, title }) => [
    name === ours ? `**${title}**` : title,
    range(spreadOf(results, name, kind, rate)),
    name === ours ? "" : times(timesAsMany(results, name, kind)),
    range(spreadOf(results, name, kind, cost)),
    range(spreadOf(results, name, kind, ({ p50 }) => p50)),
    range(spreadOf(results, name, kind, ({ p99 }) => p99)),
    range(spreadOf(results, name, kind, ({ worst }) => worst)),
  ]);
  return table(head, rows);
}
