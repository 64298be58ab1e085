import type { Database } from "bun:sqlite";
import { DatabaseSync } from "node:sqlite";
import { SET_MARK } from "./log-mark.ts";
import { rangeTable } from "./search-table.ts";

/** The blocks of a discarded table that are removed in one step, of a page each. */
const BLOCKS_AT_ONCE = 256;
const SQLITE_BUSY = 5;

/**
 * Takes a range that has no plants out of the index. To drop a large FTS5 table takes seconds: so its blocks are made a
 * table like any other, which is emptied in steps. Only a connection that is not in SQLite's defensive mode may do that
 * (https://www.sqlite.org/c3ref/c_dbconfig_defensive.html), so it must be called between two transactions of the committer.
 */
export function discardRange(path: string, range: number): void {
  const database = new DatabaseSync(path, { defensive: false });
  const table = rangeTable(range);
  try {
    database.exec(`
      PRAGMA wal_autocheckpoint = 0;
      BEGIN IMMEDIATE;
      ALTER TABLE ${table}_data RENAME TO plant_search_discarded_${range};
      DROP TABLE ${table};
      DELETE FROM plant_search_ranges WHERE range = ${range};
      ${SET_MARK};
      COMMIT`);
  } catch (error) {
    // If another process is writing, the indexer's next run tries again.
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
  } finally {
    database.close();
  }
}

/** Removes some blocks of a discarded table. False if there is none. */
export function emptyDiscarded(database: Database): boolean {
  const discarded = database.query<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'plant_search_discarded_*' LIMIT 1",
  );
  const { name } = discarded.get() ?? {};
  if (name === undefined) return false;
  const some = `SELECT id FROM ${name} LIMIT ${BLOCKS_AT_ONCE}`;
  if (database.run(`DELETE FROM ${name} WHERE id IN (${some})`).changes === 0) database.run(`DROP TABLE ${name}`);
  return true;
}
