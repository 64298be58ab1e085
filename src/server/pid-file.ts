import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * A server that can hand over, as described by the three lines of its pid file: its process id, its start and its port.
 */
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

/** Undefined if there is no file, or if its process has ended; another process may have its id by now. */
export function readPidFile(path: string): ServerProcess | undefined {
  try {
    const [pid = "", start = "", port] = readFileSync(path, "utf8").split("\n");
    const server = { pid: Number(pid), start, port: Number(port) };
    return isRunning(server) ? server : undefined;
  } catch {
    return undefined;
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

/** Writes the file for this process. */
export function writePidFile(path: string, port: number): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n${processState(process.pid).start}\n${port}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Does nothing if the file already names another process. */
export function removePidFile(path: string): void {
  if (readPidFile(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)). Throws if there is no such process. */
function processState(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the name of the command in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], start: fields[19] };
}
