/** The table of resources: memory, disk, and time to install. */
import type { Results } from "#harness/results.ts";
import { spread } from "#harness/statistics.ts";
import { ranked } from "./figures.ts";
import { count, figure, range, table } from "./words.ts";

export function upkeepTable(results: Results): string {
  const head = ["", "memory at rest, MiB", "memory under load, MiB", "on disk, MiB", "install to first record, s"];
  const rows = ranked(results).map(({ name, title }) => {
    const samples = results.samples.filter(({ peer }) => peer === name);
    const facts = results.facts.find(({ peer }) => peer === name);
    return [
      title,
      range(spread(samples.map(({ idleMiB }) => Math.round(idleMiB)))),
      range(spread(samples.map(({ loadedMiB }) => Math.round(loadedMiB)))),
      facts ? count(facts.sizeMiB) : "",
      facts ? figure(facts.firstRecordSeconds) : "",
    ];
  });
  return table(head, rows);
}
