/** The processor time of a peer: what a create costs it, whatever else the machine is doing. */
import { readFileSync } from "node:fs";
import { tree } from "./process.ts";

/** Linux counts in hundredths of a second on every architecture it shows this file on. */
const ticksPerSecond = 100;

export function processorSeconds(roots: number[]): number {
  return roots.flatMap(tree).reduce((sum, pid) => sum + ticks(pid), 0) / ticksPerSecond;
}

function ticks(pid: number): number {
  try {
    // The name, in brackets, may hold spaces: the fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
