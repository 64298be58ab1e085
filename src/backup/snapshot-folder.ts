import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A folder this old is abandoned, even if another process now has the process id of its maker. */
const ABANDONED_MS = 24 * 3600 * 1000;

/**
 * Makes a folder beside the database, readable by its owner alone, for a copy of it: the disk there has the space that
 * the database may take, and the folder the same rights. Removes the folders left by killed processes.
 */
export async function makeSnapshotFolder(databasePath: string): Promise<string> {
  const prefix = `.${basename(databasePath)}-backup-`;
  const parent = dirname(databasePath);
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix) && (await isAbandoned(join(parent, name), name.slice(prefix.length)))) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

async function isAbandoned(path: string, suffix: string): Promise<boolean> {
  const maker = Number(suffix.split("-", 1)[0]);
  if (Number.isInteger(maker) && !isRunning(maker)) return true;
  const { mtimeMs } = await stat(path);
  return Date.now() - mtimeMs > ABANDONED_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
