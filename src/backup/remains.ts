import { rmSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { constants, hostname } from "node:os";
import { basename, join } from "node:path";

// What a killed run leaves. Everything that a run makes and removes again has the run's mark in its name, by which a later
// run finds out that nobody needs it any more. A run that is merely told to stop removes it itself.

/** A run ends before: what is older has no owner, also if another process or machine has the name of its own. */
export const REMAINS_MS_MAX = 24 * 3_600_000;

const HOST = hostname()
  .replace(/[^A-Za-z0-9-]/g, "-")
  .slice(0, 64);
/** Earlier releases left out the host. */
const MARK = /^(?:(.+)-)?(\d+)-\w+$/;
const ownMarks = new Set<string>();

/** A new `HOST-PID-RANDOM`, without a dot. */
export function newMark(): string {
  const mark = `${HOST}-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  ownMarks.add(mark);
  return mark;
}

/** True if the process that made the mark has ended. On other machines only the age can say so. */
export function isAbandoned(mark: string, ageMs: number): boolean {
  const [, host = HOST, pid] = MARK.exec(mark) ?? [];
  if (pid !== undefined && host === HOST && !isRunning(Number(pid), mark)) return true;
  return ageMs > REMAINS_MS_MAX;
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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const removedAtExit = new Set<string>();
const exit = (signal: (typeof SIGNALS)[number]) => process.exit(128 + constants.signals[signal]);

/** While it acts, the file or folder is removed by whatever ends the process, but for `kill -9`. */
export async function removingAtExit<T>(path: string, act: () => Promise<T>): Promise<T> {
  if (removedAtExit.size === 0) {
    process.on("exit", removeAll);
    for (const signal of SIGNALS) process.on(signal, exit);
  }
  removedAtExit.add(path);
  try {
    return await act();
  } finally {
    removedAtExit.delete(path);
    if (removedAtExit.size === 0) {
      process.off("exit", removeAll);
      for (const signal of SIGNALS) process.off(signal, exit);
    }
  }
}

function removeAll(): void {
  for (const path of removedAtExit) rmSync(path, { recursive: true, force: true });
}

const VERIFY = "plantstore-verify-";
const RESTORE = ".plantstore-restore-";
const copyPrefix = (database: string) => `.${basename(database)}-backup-`;

/** A folder for a plain copy of a database, which its owner alone may read, and which is removed after use. */
export type ScratchFolder = { readonly parent: string } & (
  | { readonly purpose: "verify" | "restore" }
  | { readonly purpose: "copy"; readonly database: string }
);

export async function inScratchFolder<T>(scratch: ScratchFolder, act: (folder: string) => Promise<T>): Promise<T> {
  const { purpose, parent } = scratch;
  const prefix = purpose === "copy" ? copyPrefix(scratch.database) : purpose === "verify" ? VERIFY : RESTORE;
  const folder = join(parent, prefix + newMark());
  return removingAtExit(folder, async () => {
    await mkdir(folder, { mode: 0o700 });
    try {
      return await act(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Removes the scratch folders that killed runs left in these folders. */
export async function removeAbandoned(database: string, parents: readonly string[]): Promise<void> {
  for (const parent of new Set(parents)) {
    for (const name of await readdir(parent).catch(() => [])) {
      const prefix = [copyPrefix(database), VERIFY, RESTORE].find((each) => name.startsWith(each));
      if (prefix === undefined) continue;
      const path = join(parent, name);
      const found = await stat(path).catch(() => undefined);
      if (!found || !isAbandoned(name.slice(prefix.length), Date.now() - found.mtimeMs)) continue;
      // A folder for temporary files may hold those of other users.
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
