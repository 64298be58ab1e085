import { Database, SQLiteError } from "bun:sqlite";
import { createPrivate } from "#storage/sqlite/connection.ts";

/**
 * A lock that one process holds at a time. The system releases it when the process ends, by kill -9 too. The runtime has
 * no call for such locks, but SQLite, whose lock on an empty file this is.
 */
export class FileLock {
  readonly #file: Database;

  private constructor(file: Database) {
    this.#file = file;
  }

  /** Undefined if another process holds it. The file is made, and stays: to remove it would let two hold the lock. */
  static tryTake(path: string): FileLock | undefined {
    createPrivate(path);
    const file = new Database(path);
    try {
      file.run("BEGIN EXCLUSIVE");
      return new FileLock(file);
    } catch (error) {
      file.close();
      if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return undefined;
      throw error;
    }
  }

  release(): void {
    this.#file.close();
  }
}
