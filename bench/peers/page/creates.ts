/** The tables and lists of the page: rates and latencies, resources, what becomes of a plant, and who took part. */
import type { LoadSample, Results } from "#harness/results.ts";
import { largeId, type Semantics } from "#harness/semantics.ts";
import { cost, type Kind, ours, ranked, rate, spread, spreadOf, stores, timesAsMany, titleOf } from "./figures.ts";
import { count, figure, range, table, tableOfWords, times } from "./words.ts";

export function speedTable(results: Results, kind: Kind): string {
  const head = ["", "creates each second", "Plantstore on SQLite", "processor µs each", "p50 ms", "p99 ms", "worst ms"];
  const rows = ranked(results).map(({ name, title }) => [
    name === ours ? `**${title}**` : title,
    range(spreadOf(results, name, kind, rate)),
    name === ours ? "" : times(timesAsMany(results, name, kind)),
    ...[cost, ({ p50 }: LoadSample) => p50, ({ p99 }: LoadSample) => p99, ({ worst }: LoadSample) => worst].map((of) =>
      figure(spreadOf(results, name, kind, of).median),
    ),
  ]);
  return table(head, rows);
}

export function upkeepTable(results: Results): string {
  const head = ["", "memory at rest, MiB", "memory under load, MiB", "on disk, MiB", "install to first record, s"];
  const rows = ranked(results).map(({ name, title }) => {
    const samples = results.samples.filter(({ peer }) => peer === name);
    const facts = results.facts.find(({ peer }) => peer === name);
    return [
      title,
      figure(spread(samples.map(({ idleMiB }) => Math.round(idleMiB))).median),
      figure(spread(samples.map(({ loadedMiB }) => Math.round(loadedMiB))).median),
      facts ? count(facts.sizeMiB) : "",
      facts ? figure(facts.firstRecordSeconds) : "",
    ];
  });
  return table(head, rows);
}

export function meaningTable(results: Results): string {
  const rows = stores(results).map(({ name, title }) => {
    const facts = results.facts.find(({ peer }) => peer === name)?.semantics;
    return facts ? [title, largeIdTold(facts), repeatTold(facts)] : [title, "", ""];
  });
  return tableOfWords(["", `${largeId} comes back`, "a repeated create"], rows);
}

function largeIdTold({ largeIdBack, largeIdQuoted, largeIdStored }: Semantics): string {
  if (largeIdBack === undefined) return largeIdStored ? "not found" : "not found: kept under another id";
  const digits = largeIdBack === largeId ? "as sent" : `as ${largeIdBack}`;
  return largeIdQuoted ? `${digits}, a string` : digits;
}

function repeatTold({ repeated, conflicting, unchanged }: Semantics): string {
  const kept = unchanged ? "the first is kept" : "**the first is lost**";
  if (repeated === conflicting) return `${repeated}, even if it is the same plant; ${kept}`;
  return `${repeated} for the same plant, ${conflicting} for another; ${kept}`;
}

export function lossTable(results: Results): string {
  const head = ["", "fsync for each create", "answered before `kill -9`", "of these lost", "answers and rows agree"];
  const rows = stores(results).map(({ name, title }) => {
    const facts = results.facts.find(({ peer }) => peer === name);
    const loads = results.samples.filter(({ peer }) => peer === name).flatMap((sample) => sample.loads);
    return [
      title,
      facts?.syncsPerCreate === undefined ? "not seen" : figure(facts.syncsPerCreate),
      facts?.crash ? count(facts.crash.answered) : "",
      facts?.crash ? count(facts.crash.lost) : "",
      `${loads.filter(agrees).length} of ${loads.length} loads`,
    ];
  });
  return table(head, rows);
}

/** Every success has its row. Requests that were open when the load stopped may have rows too. */
function agrees({ answers, refused, connections, rows = 0 }: LoadSample): boolean {
  const successes = answers - refused;
  return rows >= successes && rows <= successes + connections;
}

/** Loads with answers that were no success. The page must not hide them. */
export function refusals(results: Results): string {
  const lines = results.samples.flatMap((sample) =>
    sample.loads
      .filter(({ refused, broken }) => refused > 0 || broken > 0)
      .map((load) => {
        const what = `${load.connections} connections, ${load.order} ids, round ${sample.round}`;
        return `- ${sample.peer}, ${what}: ${count(load.refused)} of ${count(load.answers)} answers refused, ${load.broken} sockets failed`;
      }),
  );
  return lines.length > 0 ? lines.join("\n") : "Every answer of every load was a success, and no socket failed.";
}

export function settingsList(results: Results): string {
  return stores(results)
    .map(({ name, title, settings }) => {
      const version = results.facts.find(({ peer }) => peer === name)?.version ?? "";
      return `- **${[title, version].filter(Boolean).join(" ")}**: ${settings}.`;
    })
    .join("\n");
}

export function skippedList(results: Results): string {
  if (results.skipped.length === 0) return "No system was skipped.";
  return results.skipped.map(({ peer, reason }) => `- **${titleOf(peer)}** was skipped: ${reason}`).join("\n");
}

export function machineLine({ machine, date, rounds, secondsPerLoad }: Results): string {
  return [
    `Measured on ${date.slice(0, 10)}: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, kernel ${machine.kernel}`,
    `a write of 4 KiB with fdatasync takes ${machine.fsyncMs.toFixed(2)} ms (median)`,
    `Bun ${machine.bun}, Node ${machine.node}, Go ${machine.go}; wrk ${machine.wrk}, one thread`,
    `${rounds} rounds, ${secondsPerLoad} s a load.`,
  ].join("; ");
}
