import type { Clients, Observed } from "./clients.ts";
import type { Cluster } from "./cluster.ts";

/** Collects what clients observed, and makes a table with one line for each thing that was done to the cluster. */
export class Report {
  readonly #observed = new Map<string, Observed[]>();

  /** `deed` is the head of the first column, as in "killed". */
  constructor(private readonly deed: string) {}

  add(name: string, observed: Observed): void {
    this.#observed.set(name, [...(this.#observed.get(name) ?? []), observed]);
  }

  /** Ends the load, and prints the table and how many plants are lost. Resolves with true if none is. */
  async print({ load }: Clients, cluster: Cluster): Promise<boolean> {
    await load.stop();
    const kept = await cluster.plantIds();
    const lost = [...load.acknowledged].filter((id) => !kept.has(id));
    console.log(this.#table());
    console.log(`\n${load.acknowledged.size} plants were acknowledged, and ${lost.length} of them are lost.`);
    return lost.length === 0;
  }

  #table(): string {
    const rows = [...this.#observed].map(([name, all]) => {
      const gaps = all.map(({ longestGapMs }) => longestGapMs).sort((a, b) => a - b);
      const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
      const median = gaps[Math.floor(gaps.length / 2)];
      const acknowledged = all.reduce((sum, each) => sum + each.acknowledged, 0);
      return `| ${name} | ${all.length} | ${acknowledged} | ${problems(all)} | ${seconds(median)} | ${seconds(gaps.at(-1))} |`;
    });
    return [
      "",
      `| ${this.deed} | times | answers 200 | other answers and failures | longest gap, median | longest gap, at most |`,
      "|---|---|---|---|---|---|",
      ...rows,
    ].join("\n");
  }
}

function problems(all: readonly Observed[]): string {
  const sums = new Map<string, number>();
  for (const { problems } of all) {
    for (const [kind, count] of problems) sums.set(kind, (sums.get(kind) ?? 0) + count);
  }
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return sorted.map(([kind, count]) => `${count} × ${kind}`).join(", ") || "none";
}
