import { Database, SQLiteError } from "bun:sqlite";
import { createPrivate } from "#storage/sqlite/connection.ts";

/**
 * Takes a lock that one process holds at a time, until it closes what is returned; undefined if another process holds it.
 * The system releases it when the process ends, by kill -9 too. The runtime has no call for such locks, but SQLite, whose
 * lock on an empty file this is. The file is made, and stays: to remove it would let two hold the lock.
 */
export function tryLock(path: string): Database | undefined {
  createPrivate(path);
  const file = new Database(path);
  try {
    file.run("BEGIN EXCLUSIVE");
    return file;
  } catch (error) {
    file.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return undefined;
    throw error;
  }
}
