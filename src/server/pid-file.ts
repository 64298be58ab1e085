import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** A server that can hand over, as described by three lines of the pid file: its process id, its start and its port. */
export interface ServerProcess {
  readonly pid: number;
  /** Clock ticks from the start of the machine to that of the process. */
  readonly start: string;
  readonly port: number;
}

/** Beside the database, so that it belongs to the servers of that database. */
export function pidFile(databasePath: string): string {
  return `${databasePath}.pid`;
}

/**
 * The servers that the file names and that still run, the newest first: older ones are about to leave, or were not told to
 * because the newer one was killed. Another process may have the id of one that has ended.
 */
export function readPidFile(path: string): ServerProcess[] {
  const servers = readText(path).matchAll(/(.*)\n(.*)\n(.*)\n/g);
  return Array.from(servers, ([, pid, start = "", port]) => ({ pid: Number(pid), start, port: Number(port) })).filter(
    isRunning,
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** False also for a process that has ended but was not yet waited for by its parent. */
export function isRunning({ pid, start }: Omit<ServerProcess, "port">): boolean {
  try {
    const found = processState(pid);
    return found.start === start && found.state !== "Z";
  } catch {
    return false;
  }
}

/** Writes the file for this process and those that it takes over from. */
export function writePidFile(path: string, port: number, older: readonly ServerProcess[]): void {
  const draft = `${path}.${process.pid}`;
  const servers = [{ pid: process.pid, start: processState(process.pid).start, port }, ...older];
  writeFileSync(draft, servers.map(({ pid, start, port }) => `${pid}\n${start}\n${port}\n`).join(""), { mode: 0o600 });
  renameSync(draft, path);
}

/** Does nothing if the file already names a newer process. */
export function removePidFile(path: string): void {
  if (readPidFile(path)[0]?.pid === process.pid) rmSync(path, { force: true });
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)). Throws if there is no such process. */
function processState(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the name of the command in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], start: fields[19] };
}
