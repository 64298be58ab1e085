import { rmSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "#core/duration.ts";
import { hasEnded, isMark, newMark } from "#threads/process-mark.ts";

// The files that a killed run leaves. Whatever a run makes and removes again has a mark of its process in its name, by which a later
// run sees that nobody needs it any more. A run that is told to stop removes it itself.

/** A run ends before. What is older has no owner, on whichever machine. */
export const REMAINS_MS_MAX = DAY_MS;

// Earlier releases made a plain copy for each backup.
const SCRATCH_NAME = /^\.plantstore-(?:backup|verify|restore)-(.+)$/;

/** True if the process that made the mark has ended. On another machine only the age can say so. */
export function isAbandoned(mark: string, ageMs: number): boolean {
  return ageMs > REMAINS_MS_MAX || hasEnded(mark);
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const removedAtExit = new Set<string>();
const exit = (signal: (typeof SIGNALS)[number]) => process.exit(128 + constants.signals[signal]);

function removeAll(): void {
  for (const path of removedAtExit) rmSync(path, { recursive: true, force: true });
}

/** Acts with a file or folder that is removed then, and before that by whatever ends the process, except `kill -9`. */
export async function withTemporary<T>(path: string, act: () => Promise<T>): Promise<T> {
  if (removedAtExit.size === 0) {
    process.on("exit", removeAll);
    for (const signal of SIGNALS) process.on(signal, exit);
  }
  removedAtExit.add(path);
  try {
    return await act();
  } finally {
    // If the disk cannot be written, a later run removes it; the error to report is the original one.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
    removedAtExit.delete(path);
    if (removedAtExit.size === 0) {
      process.off("exit", removeAll);
      for (const signal of SIGNALS) process.off(signal, exit);
    }
  }
}

/** Acts in a new folder for a plain copy of a database, which its owner alone may read, and removes it. */
export async function inScratchFolder<T>(
  purpose: "verify" | "restore",
  parent: string,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(parent, `.plantstore-${purpose}-${newMark()}`);
  return withTemporary(folder, async () => {
    await mkdir(folder, { mode: 0o700 });
    return act(folder);
  });
}

/** Removes the scratch folders in these folders whose process was killed. */
export async function removeScratchFolders(parents: readonly string[]): Promise<void> {
  for (const parent of new Set(parents)) await removeAbandoned(parent, SCRATCH_NAME);
}

/** Removes what a killed process left in the folder. `name` captures the mark of the process. */
export async function removeAbandoned(folder: string, name: RegExp): Promise<void> {
  for (const file of await readdir(folder).catch(() => [])) {
    const [, mark = ""] = name.exec(file) ?? [];
    if (!isMark(mark)) continue;
    const path = join(folder, file);
    const found = await stat(path).catch(() => undefined);
    // Those of other users, in a folder for everybody's temporary files, cannot be removed.
    if (found && isAbandoned(mark, Date.now() - found.mtimeMs))
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
