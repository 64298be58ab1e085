import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";

/** This machine since its start: machines of one name must not take each other's processes for ended. */
const HOST = `${hostname().replace(/[^A-Za-z0-9-]/g, "-")}-${bootId()}`.slice(-64);
const MARK = /^(.+)-(\d+)-[0-9a-f]{8}$/;
const ownMarks = new Set<string>();

function bootId(): string {
  const path = "/proc/sys/kernel/random/boot_id";
  return existsSync(path) ? readFileSync(path, "utf8").slice(0, 8) : "0";
}

/** A new `HOST-BOOT-PID-RANDOM`, without a dot, by which others see whether this process has left what it holds. */
export function newMark(): string {
  const mark = `${HOST}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  ownMarks.add(mark);
  return mark;
}

export function isMark(text: string): boolean {
  return MARK.test(text);
}

/** True if the process that made the mark ran on this machine and has ended. */
export function hasEnded(mark: string): boolean {
  const [, host, pid] = MARK.exec(mark) ?? [];
  return host === HOST && !isRunning(Number(pid), mark);
}

/** In a container a new process often has the id of the one before. */
function isRunning(pid: number, mark: string): boolean {
  if (pid === process.pid) return ownMarks.has(mark);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
