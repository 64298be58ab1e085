import { Database } from "bun:sqlite";
import { openForReading } from "./connection.ts";

/** The figures by which a copy of a database is compared with its original. */
export interface DatabaseContent {
  /** The name of the newest migration. */
  readonly schema: string;
  readonly plants: number;
  readonly accounts: number;
  /** The newest insertion number that was given to a plant. */
  readonly lastNumber: number;
  /** The size of the file. */
  readonly bytes: number;
}

/** A file that SQLite reports as damaged, or whose counters disagree with its rows. */
class DamagedDatabase extends Error {}

/**
 * Copies the database into a new file from one snapshot, while others write. Until the copy is done the write-ahead log
 * cannot start again from the front; nothing else changes for the writer. (SQLite's online backup starts again at every
 * write of another connection, so it would never end under load.) The copy is not flushed to the disk: the writer's
 * commits would wait for that, and the copy is read once and removed.
 */
export function copyDatabase(path: string, copy: string): void {
  const database = openForReading(path);
  try {
    database.run("PRAGMA query_only = OFF");
    database.run("PRAGMA synchronous = OFF");
    database.query("VACUUM INTO ?").run(copy);
  } finally {
    database.close();
  }
}

/** The maximum size of a copy of the database, in bytes. */
export function copySizeMax(path: string): number {
  const database = openForReading(path);
  try {
    return pragma(database, "page_count") * pragma(database, "page_size");
  } finally {
    database.close();
  }
}

/**
 * Checks a file that nobody is writing to, and counts its rows. `quick` skips the comparison of each index with its
 * table. Throws DamagedDatabase.
 */
export function checkDatabase(path: string, depth: "quick" | "full"): DatabaseContent {
  const database = new Database(path, { readonly: true });
  try {
    const [[result] = []] = database
      .query(`PRAGMA ${depth === "quick" ? "quick_check" : "integrity_check"}(1)`)
      .values();
    if (result !== "ok") throw new DamagedDatabase(`The database file is damaged: ${result}`);
    return content(database);
  } catch (error) {
    throw error instanceof DamagedDatabase ? error : new DamagedDatabase(`The database file is damaged: ${error}`);
  } finally {
    database.close();
  }
}

function content(database: Database): DatabaseContent {
  // The plants of removed accounts are removed in slices, and their counters at the end.
  const living = "account NOT IN (SELECT number FROM removed_accounts)";
  const { plants } = one<{ plants: number }>(database, `SELECT count(*) AS plants FROM plants WHERE ${living}`);
  const { kept } = one<{ kept: number }>(
    database,
    `SELECT coalesce(sum(count), 0) AS kept FROM plant_counts WHERE ${living}`,
  );
  if (plants !== kept) {
    throw new DamagedDatabase(`The database file is damaged: its count of plants is ${kept}, and it has ${plants}`);
  }
  return {
    ...one<{ schema: string }>(database, "SELECT max(name) AS schema FROM migrations"),
    plants,
    ...one<{ accounts: number }>(database, "SELECT count(*) AS accounts FROM accounts"),
    ...one<{ lastNumber: number }>(database, "SELECT value AS lastNumber FROM counters WHERE name = 'plant_number'"),
    bytes: pragma(database, "page_count") * pragma(database, "page_size"),
  };
}

function pragma(database: Database, name: "page_count" | "page_size"): number {
  return one<{ value: number }>(database, `SELECT ${name} AS value FROM pragma_${name}`).value;
}

function one<Row>(database: Database, query: string): Row {
  const row = database.query<Row, []>(query).get();
  if (!row) throw new DamagedDatabase(`The database file is damaged: ${query} finds no row`);
  return row;
}
