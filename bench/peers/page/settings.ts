/** The versions and settings of the systems that took part, and the systems that were skipped. */
import type { Results } from "#harness/results.ts";
import { peers } from "#peer/all.ts";
import { stores } from "./figures.ts";

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
  const lines = results.skipped.map(({ peer, reason }) => {
    const title = peers.find(({ name }) => name === peer)?.title ?? peer;
    return `- **${title}** was skipped: ${reason}`;
  });
  return lines.join("\n");
}

export function machineLine({ machine, date, rounds, secondsPerLoad }: Results): string {
  return [
    `Measured on ${date.slice(0, 10)}: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, kernel ${machine.kernel}`,
    `a write of 4 KiB with fdatasync takes ${machine.fsyncMs.toFixed(2)} ms (median of 200)`,
    `Bun ${machine.bun}, Node ${machine.node}, Go ${machine.go}; wrk ${machine.wrk}, one thread`,
    `${rounds} rounds, ${secondsPerLoad} s a load.`,
  ].join("; ");
}
