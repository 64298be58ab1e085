import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** This machine since its start: machines of one name must not take each other's processes for ended. */
const HOST = `${hostname().replace(/[^A-Za-z0-9-]/g, "-")}-${bootId()}`.slice(-64);
/** The numbers of processes are those of this namespace, `n` and its number (pid_namespaces(7)); a container has its own. */
const NAMESPACE = namespace();
/** Marks of earlier releases name no namespace. */
const MARK = /^(.+?)(?:-(n\d+))?-(\d+)-[0-9a-f]{8}$/;
const ownMarks = new Set<string>();

function bootId(): string {
  const path = "/proc/sys/kernel/random/boot_id";
  return existsSync(path) ? readFileSync(path, "utf8").slice(0, 8) : "0";
}

function namespace(): string {
  try {
    return `n${readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "")}`;
  } catch {
    return "n0";
  }
}

/**
 * A new `HOST-BOOT-NAMESPACE-PID-RANDOM`, without a dot. What this process holds bears it, so that others can tell whether the
 * holder has ended.
 */
export function newMark(): string {
  const mark = `${HOST}-${NAMESPACE}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  ownMarks.add(mark);
  return mark;
}

export function isMark(text: string): boolean {
  return MARK.test(text);
}

/**
 * True if the process that made the mark ran on this machine and has ended. It ignores the namespace, for processes that share
 * files: after the restart of a container theirs is another one.
 */
export function hasEnded(mark: string): boolean {
  const [, host, , pid] = MARK.exec(mark) ?? [];
  return host === HOST && !isRunning(Number(pid), mark);
}

/** The same for processes that share no file, but true only of this namespace: processes of other containers cannot be seen. */
export function hasEndedHere(mark: string): boolean {
  return MARK.exec(mark)?.[2] === NAMESPACE && hasEnded(mark);
}

/** Compares the mark too, because a new process in a container often has its predecessor's id. */
function isRunning(pid: number, mark: string): boolean {
  if (pid === process.pid) return ownMarks.has(mark);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
