/** The tables of searches in a million plants and of backups under load. */
import type { BackupSample, BeyondResults, SearchSample } from "#harness/results.ts";
import { spread } from "#harness/statistics.ts";
import type { Stretch } from "#harness/steady.ts";
import { peers } from "#peer/all.ts";
import { titleOf } from "./figures.ts";
import { count, figure, range, table } from "./words.ts";

/** In the order of the list of systems. */
function inOrder<Sample extends { peer: string }>(samples: readonly Sample[]): [title: string, sample: Sample][] {
  return peers.flatMap(({ name, title }) =>
    samples.filter(({ peer }) => peer === name).map((sample): [string, Sample] => [title, sample]),
  );
}

export function searchTable({ searches }: BeyondResults): string {
  const figures = ["common part, ms", "rare part, ms", "absent part, ms", "index ready after, s"];
  const head = ["", ...figures, "memory before, MiB", "memory after, MiB"];
  const rows = inOrder(searches).map(([title, { peer, parts, indexSeconds, idleMiB, searchedMiB }]) => [
    title,
    ...[parts.common, parts.rare, parts.absent].map(shownTimes),
    peers.some(({ name, search }) => name === peer && search?.indexed) ? figure(indexSeconds) : "no index",
    count(idleMiB),
    count(searchedMiB),
  ]);
  return table(head, rows);
}

const shownTimes = ({ p50, worst }: SearchSample["parts"]["common"]) => `${figure(p50)} (worst ${figure(worst)})`;

export function backupTable({ backups }: BeyondResults): string {
  const head = ["", "seconds", "creates each second", "p50 ms", "p99 ms", "worst ms"];
  const rows = inOrder(backups).flatMap(([title, { rounds }]) => [
    [`${title}, before`, ...shownStretches(rounds.map(({ before }) => before))],
    [`${title}, during`, ...shownStretches(rounds.map(({ during }) => during))],
  ]);
  const notes = inOrder(backups).map(([title, sample]) => `- **${title}**: ${countsOf(sample)}`);
  return `${table(head, rows)}\n\n${notes.join("\n")}`;
}

const shownStretches = (stretches: readonly Stretch[]) =>
  (["seconds", "perSecond", "p50", "p99", "worst"] as const).map((name) =>
    range(spread(stretches.map((stretch) => stretch[name]))),
  );

function countsOf({ rounds, answered, refused, lost }: BackupSample): string {
  const right = rounds.filter(({ rows, rowsMin, rowsMax }) => rows >= rowsMin && rows <= rowsMax).length;
  const size = range(spread(rounds.map(({ backupMiB }) => backupMiB)));
  const creates = `of ${count(answered + refused)} creates ${number(refused)} were refused and ${number(lost)} lost`;
  return `${creates}; ${right} of ${rounds.length} backups (${size} MiB) hold all plants answered before they began, and none sent later.`;
}

const number = (value: number) => (value === 0 ? "none" : count(value));

export function beyondList({ machine, searches, skipped }: BeyondResults): string {
  const dates = inOrder(searches).map(
    ([title, { version, date, loadAverage, fsyncMs }]) =>
      `${title} ${version} on ${date.slice(0, 10)} (load ${loadAverage.toFixed(1)}, ${fsyncMs.toFixed(2)} ms)`,
  );
  const failed = skipped.map(({ peer, reason }) => `- **${titleOf(peer)}** was not measured: ${reason}`);
  const where = `${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB; in brackets the load average of the minute before and the median of a write of 4 KiB with fdatasync`;
  const isBusy = searches.some(({ loadAverage }) => loadAverage > 1);
  const warning =
    "Other work ran at the same time: times are longer and rates lower than on a quiet machine, and differences only rough.";
  return [
    `Measured apart from the creates (${where}): ${dates.join(", ")}.`,
    ...(isBusy ? [warning] : []),
    ...failed,
  ].join("\n\n");
}
