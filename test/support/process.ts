import { existsSync, readdirSync, readFileSync } from "node:fs";

export interface CommandOutcome {
  readonly code: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly problem: string;
}

/** Waits for the end of a process, and gives everything that it printed. */
export async function outcomeOf({ stdout, stderr, exited }: Bun.ReadableSubprocess): Promise<CommandOutcome> {
  const [out, problem, code] = await Promise.all([new Response(stdout).text(), new Response(stderr).text(), exited]);
  return { code, out, problem };
}

/** True if the system shows the memory and open files of a process, as Linux does in /proc. */
export const PROCESSES_SHOW = existsSync("/proc/self/status");

/** True also for a process that its parent has not waited for yet. */
export function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/** The resident memory of a process. */
export function residentBytes(pid: number): number {
  if (!PROCESSES_SHOW) return unseen("memory");
  const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Seconds of processor time of the children of this process that have ended, and of theirs. */
export function endedChildrenSeconds(): number {
  if (!PROCESSES_SHOW) return unseen("processor time");
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const TICKS_A_SECOND = 100;
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

/** The number of open files and sockets of the process. */
export function openDescriptors(pid: number): number {
  return PROCESSES_SHOW ? readdirSync(`/proc/${pid}/fd`).length : unseen("open files");
}

function unseen(what: string): number {
  console.warn(`This system has no /proc: the ${what} of the service are not compared`);
  return 0;
}
