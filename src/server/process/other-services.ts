import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
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
 * The process ids of other services of this machine that have the database's file open. Commands do not count. Where the system
 * does not show the open files of processes (proc(5)), as those of another container, there are none.
 */
function otherServices(path: string): number[] {
  try {
    const file = realpathSync(path);
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    return processes.filter((pid) => serves(pid) && hasOpen(pid, file)).map(Number);
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

/** Undefined for a process that has ended meanwhile, or belongs to somebody else. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
