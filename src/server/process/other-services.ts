import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import type { Log } from "#core/log.ts";
import { type Settings, sqlitePath } from "../settings.ts";
import type { TakenOver } from "./take-over.ts";

/** Warns if this SQLite file is served by others that stay, which is safe, but hardly ever meant. */
export function warnOfOtherServices(settings: Settings, takenOver: TakenOver | undefined, log: Log): void {
  const path = sqlitePath(settings);
  if (path === undefined) return;
  const leaving = new Set(takenOver?.from.map(({ pid }) => pid));
  const others = otherServices(path).filter((pid) => !leaving.has(pid));
  if (others.length === 0) return;
  const processes = `process${others.length > 1 ? "es" : ""} ${others.join(", ")}`;
  log.warn(
    { processes: others },
    `Another service (${processes}) serves this database file too: nothing is lost, but their writes wait for each other, and each counts by itself what RATE_LIMIT and other limits allow; stop one unless this is meant`,
  );
}

/**
 * The process ids of other services of this machine that have the database's file open. Commands do not count. The system shows the
 * open files (proc(5)) of processes of this user that have no more capabilities than this one, as the unit's have; its list of locks
 * shows the others too. Where it shows neither, as of another container, there are none.
 */
function otherServices(path: string): number[] {
  try {
    const file = realpathSync(path);
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    const holders = lockHolders(`${file}-shm`);
    return processes.filter((pid) => serves(pid) && (holders.has(pid) || hasOpen(pid, file))).map(Number);
  } catch {
    return [];
  }
}

function serves(pid: string): boolean {
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("serve")) ?? false;
}

function hasOpen(pid: string, file: string): boolean {
  const descriptors = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return descriptors.some((descriptor) => attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`)) === file);
}

/** Every connection of SQLite to a database with a write-ahead log holds a lock on the log's index while it is open. */
function lockHolders(path: string): Set<string> {
  const { dev, ino } = attempt(() => statSync(path, { bigint: true })) ?? {};
  if (dev === undefined) return new Set();
  const [major, minor] = [(dev >> 8n) & 0xfffn, (dev & 0xffn) | ((dev >> 12n) & 0xfff00n)];
  const file = `${hex(major)}:${hex(minor)}:${ino}`;
  const lines = (attempt(() => readFileSync("/proc/locks", "utf8")) ?? "").split("\n");
  return new Set(
    lines.map((line) => line.split(/\s+/)).flatMap(([, , , , pid = "", of]) => (of === file ? [pid] : [])),
  );
}

function hex(number: bigint): string {
  return number.toString(16).padStart(2, "0");
}

/** Undefined for a process that has ended meanwhile, or belongs to somebody else. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
