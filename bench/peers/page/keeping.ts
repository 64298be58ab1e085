/** The tables about stored plants: whether a system stores them exactly, once, and durably. */
import type { LoadSample, Results } from "#harness/results.ts";
import { largeId, type Semantics } from "#harness/semantics.ts";
import { stores } from "./figures.ts";
import { count, figure, table, tableOfWords } from "./words.ts";

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
