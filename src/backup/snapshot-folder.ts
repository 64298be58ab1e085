import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A folder that old is nobody's any more, even if another process has its maker's number by now. */
const ABANDONED_MS = 24 * 3600 * 1000;

/**
 * Makes a folder beside the database, readable by its owner alone, for a copy of it: there is the room that the database
 * may take, and the rights that it has. Removes those that killed processes have left.
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
