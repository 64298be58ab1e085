/** The processor time of a system for each create, which other load on the machine changes little. */
import { readFileSync } from "node:fs";
import { tree } from "./process.ts";

/** Linux counts in hundredths of a second on every architecture that has this file. */
const ticksPerSecond = 100;

export function processorSeconds(roots: number[]): number {
  return roots.flatMap(tree).reduce((sum, pid) => sum + ticks(pid), 0) / ticksPerSecond;
}

function ticks(pid: number): number {
  try {
    // The name, in brackets, may contain spaces, so the fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
