import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A figure, with its target if it has one. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Prints the table and writes it to bench/results/, with missed targets as visible as reached ones. */
export async function report(name: string, lines: readonly string[], bars: readonly Bar[]): Promise<void> {
  const rows = bars.map((bar) => `| ${bar.name} | ${bar.value.toFixed(2)} | ${required(bar)} | ${verdict(bar)} |`);
  const day = new Date().toISOString().slice(0, 10);
  const text = [
    `# ${name}, ${day}`,
    "",
    ...lines.map((line) => `- ${line}`),
    "",
    "| figure | measured | bar | |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
  const folder = join(import.meta.dir, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), text);
  console.log(text);
}

function required({ atLeast, atMost }: Bar): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? "" : `at most ${atMost}`;
}

function verdict({ value, atLeast, atMost }: Bar): string {
  if (atLeast === undefined && atMost === undefined) return "";
  return value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Number.POSITIVE_INFINITY)
    ? "reached"
    : "missed";
}
