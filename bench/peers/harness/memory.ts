/** The memory of a system: all its processes and its database server. */
import { readFileSync } from "node:fs";
import { tree } from "./process.ts";

/**
 * The resident memory of these processes and their descendants, in MiB. A page that several of them share counts once.
 */
export function residentMiB(roots: number[]): number {
  const kib = roots.flatMap(tree).reduce((sum, pid) => sum + proportionalKiB(pid), 0);
  return kib / 1024;
}

function proportionalKiB(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    return Number(line?.[1] ?? 0);
  } catch {
    return 0;
  }
}
