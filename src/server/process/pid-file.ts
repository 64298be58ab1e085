import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { replaceFile } from "#files/replace-file.ts";

/** A server that can hand over, as described by three lines of the pid file: its process id, its start and its port. */
export interface ServerProcess {
  readonly pid: number;
  /** Clock ticks from the start of the machine to that of the process. */
  readonly start: string;
  readonly port: number;
}

/** The pid file lies beside the database, since it belongs to that database's servers. */
export function pidFile(databasePath: string): string {
  return `${databasePath}.pid`;
}

/**
 * The servers that the file names and that still run, the newest first: older ones are about to leave, or were not told to
 * because the newer one was killed. Another process may have the id of one that has ended. Throws if one of them belongs to
 * another user than the file: who can write it could otherwise have the process of anybody told to leave, by root.
 */
export function readPidFile(path: string): ServerProcess[] {
  const { owner, servers } = namedServers(path);
  const foreign = servers.find(({ pid }) => (realUser(pid) ?? owner) !== owner);
  if (!foreign) return servers;
  throw new Error(
    `${path} names a process (${foreign.pid}) of another user than its own, who may have made that up: stop the server and start it`,
  );
}

function namedServers(path: string): { readonly owner?: number; readonly servers: ServerProcess[] } {
  let file: number;
  try {
    // A link could stand in for a file of somebody else.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return { servers: [] };
  }
  try {
    const named = readFileSync(file, "utf8").matchAll(/(.*)\n(.*)\n(.*)\n/g);
    const servers = Array.from(named, ([, pid, start = "", port]) => ({ pid: Number(pid), start, port: Number(port) }));
    return { owner: fstatSync(file).uid, servers: servers.filter(isRunning) };
  } finally {
    closeSync(file);
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
  const servers = [{ pid: process.pid, start: processState(process.pid).start, port }, ...older];
  replaceFile(path, servers.map(({ pid, start, port }) => `${pid}\n${start}\n${port}\n`).join(""));
}

/** Does nothing, and returns false, if the file already names a newer process. */
export function removePidFile(path: string): boolean {
  const isOwn = namedServers(path).servers[0]?.pid === process.pid;
  if (isOwn) rmSync(path, { force: true });
  return isOwn;
}

/** Fields 3 and 22 of /proc/PID/stat (proc(5)). Throws if there is no such process. */
function processState(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the name of the command in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0], start: fields[19] };
}

/** The real user of a process, who may signal it (kill(2)); undefined if it has ended. */
function realUser(pid: number): number | undefined {
  try {
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
