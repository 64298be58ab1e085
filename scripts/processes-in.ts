import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes that work in the folder, or were started with a path in it. None where the system has no /proc. */
export function processesIn(folder: string): FoundProcess[] {
  if (!existsSync("/proc/self/cwd")) return [];
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const place = readlinkSync(`/proc/${pid}/cwd`);
      // A process that has only just started may have no command yet.
      return [place, command].some((text) => text.includes(folder)) ? [{ pid, command }] : [];
    } catch {
      // The process has ended, or belongs to another user.
      return [];
    }
  });
}
