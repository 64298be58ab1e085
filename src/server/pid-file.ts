import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** A server that can hand over, as its pid file describes it: a line each for its number, its start and its port. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
}

/** Beside the database, so that it stands for the servers of that database. */
export function pidFile(databasePath: string): string {
  return `${databasePath}.pid`;
}

/** Undefined if there is no file, or its process has ended: another one may have its number by now. */
export function readPidFile(path: string): ServerProcess | undefined {
  try {
    const [pid, start, port] = readFileSync(path, "utf8").split("\n");
    return startOf(Number(pid)) === start ? { pid: Number(pid), port: Number(port) } : undefined;
  } catch {
    return undefined;
  }
}

/** Names this process. */
export function writePidFile(path: string, port: number): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n${startOf(process.pid)}\n${port}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Unless it names another process already. */
export function removePidFile(path: string): void {
  if (readPidFile(path)?.pid === process.pid) rmSync(path, { force: true });
}

/** Clock ticks from the machine's start to the process's (proc(5), /proc/PID/stat, field 22). Throws if there is none. */
function startOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the command's name in parentheses, may hold spaces.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
