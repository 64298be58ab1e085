/** The memory and the processor time of a system: all its processes and its database server. */
import { readFileSync } from "node:fs";
import { tree } from "./process.ts";

/** Linux counts in hundredths of a second on every architecture that has `/proc/PID/stat`. */
const ticksPerSecond = 100;

/**
 * The resident memory of these processes and their descendants, in MiB. A page that several of them share counts once.
 */
export const residentMiB = (roots: number[]) => sum(roots, proportionalKiB) / 1024;

/** The processor time of these processes and their descendants, which other load on the machine changes little. */
export const processorSeconds = (roots: number[]) => sum(roots, ticks) / ticksPerSecond;

/** A process that has ended by now counts nothing. */
function sum(roots: number[], figureOf: (pid: number) => number): number {
  return roots.flatMap(tree).reduce((total, pid) => {
    try {
      return total + figureOf(pid);
    } catch {
      return total;
    }
  }, 0);
}

function proportionalKiB(pid: number): number {
  const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
  return Number(line?.[1] ?? 0);
}

function ticks(pid: number): number {
  // The name, in brackets, may contain spaces, so the fields are counted after it.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
