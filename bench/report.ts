import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

export const MACHINE = `${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}, ${process.platform}`;

/** A figure, with its target if it has one. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Prints the machine and the figures and writes them to bench/results/, with missed targets as visible as reached ones. */
export async function report(name: string, lines: readonly string[], bars: readonly Bar[]): Promise<void> {
  const figures = bars.map((bar) => `- ${bar.name}: **${bar.value.toFixed(2)}**${verdict(bar)}`);
  await writeResult(name, [...[MACHINE, ...lines].map((line) => `- ${line}`), "", ...figures]);
}

/** Prints lines of Markdown and writes them to bench/results/. */
export async function writeResult(name: string, lines: readonly string[]): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const text = [`# ${name}, ${day}`, "", ...lines, ""].join("\n");
  const folder = join(import.meta.dir, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), text);
  console.log(text);
}

function verdict({ value, atLeast, atMost }: Bar): string {
  const targets = [atLeast !== undefined && `at least ${atLeast}`, atMost !== undefined && `at most ${atMost}`].filter(
    Boolean,
  );
  if (targets.length === 0) return "";
  const isReached = value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY);
  return ` (${targets.join(", ")}: ${isReached ? "reached" : "missed"})`;
}
