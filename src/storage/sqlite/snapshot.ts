import { type Database, SQLiteError } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";
import { openForReading } from "./connection.ts";

const FILE_BYTES = "page_count * page_size";

/** A check reads every page: without a system call for each of the first 2 GiB, beyond which SQLite maps none. */
export const MAPPED = "PRAGMA mmap_size = 0x7fff0000";
/** The header of the write-ahead log (https://www.sqlite.org/fileformat.html, 4.1). */
export const LOG_HEADER_BYTES = 32;
/** Creates leave milliseconds between two commits. */
const SNAPSHOT_MS_MAX = 60_000;

/** The name, among the kept secrets, of the random id by which backups name their database. */
export const DATABASE_ID = "database";

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
  /** The id of the database, if it was given one. */
  readonly database: string | undefined;
}

/** A file that SQLite reports as damaged, or whose counters disagree with its rows. */
export class DamagedDatabase extends Error {
  constructor(path: string, problem: string) {
    super(`The database file ${path} is damaged: ${problem}`);
  }
}

/** The id of the database; empty if it has none yet, and undefined if no database can be read there. */
export function readDatabaseId(path: string): string | undefined {
  try {
    return reading(path, databaseId) ?? "";
  } catch {
    return undefined;
  }
}

/** One state of a database, and where its pages are while it is held. */
export interface Snapshot {
  readonly bytes: number;
  readonly pageBytes: number;
  /** The number of pages of the write-ahead log that are a part of it; 0 if all of them are in the file as well. */
  readonly logPages: number;
  /** The bytes with which the log began. */
  readonly logHeader: Uint8Array;
  readonly lastNumber: number;
}

/**
 * Holds a snapshot while others write the database: the first step gives it, the second checks its pages and counts its
 * rows, and the third lets it go. Throws DamagedDatabase.
 */
export function* holdSnapshot(path: string): Generator<Snapshot | DatabaseContent, void> {
  const database = explained(path, () => openForReading(path));
  try {
    database.run(MAPPED);
    yield explained(path, () => beginSnapshot(database, path));
    yield explained(path, () => {
      checkPages(database, path, "quick_check");
      return content(database, path);
    });
  } finally {
    database.close();
  }
}

/** A commit in between would leave open which of two states the transaction has, so the log must be the same on both sides. */
function beginSnapshot(database: Database, path: string): Snapshot {
  const beside = openForReading(path);
  try {
    const end = performance.now() + SNAPSHOT_MS_MAX;
    while (performance.now() < end) {
      const before = logState(beside, path);
      database.run("BEGIN");
      const found = one<Pick<Snapshot, "bytes" | "pageBytes" | "lastNumber">>(
        database,
        `SELECT value AS lastNumber, ${FILE_BYTES} AS bytes, page_size AS pageBytes
         FROM counters, pragma_page_count(), pragma_page_size() WHERE name = 'plant_number'`,
      );
      const { pages, copied, header } = logState(beside, path);
      if (pages === before.pages && header.equals(before.header)) {
        return { ...found, logPages: pages === copied ? 0 : pages, logHeader: header };
      }
      database.run("ROLLBACK");
    }
    throw new Error(`Cannot copy ${path}: it was written without a pause`);
  } finally {
    beside.close();
  }
}

function logState(database: Database, path: string) {
  const { log, checkpointed } = one<{ log: number; checkpointed: number }>(database, "PRAGMA wal_checkpoint(NOOP)");
  return { pages: Math.max(0, log), copied: Math.max(0, checkpointed), header: logHeader(path) };
}

/** Empty where there is no log, since no program has the database open for writing. */
function logHeader(path: string): Buffer {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  let file: number | undefined;
  try {
    file = openSync(`${path}-wal`, "r");
    return header.subarray(0, readSync(file, header, 0, header.length, 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return header.subarray(0, 0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The size of the database, in bytes. */
export function databaseBytes(path: string): number {
  const size = `SELECT ${FILE_BYTES} AS bytes FROM pragma_page_count(), pragma_page_size()`;
  return reading(path, (database) => one<{ bytes: number }>(database, size).bytes);
}

/** Checks the pages of all tables, or of the named one. */
export function checkPages(
  database: Database,
  path: string,
  check: "quick_check" | "integrity_check",
  table?: string,
): void {
  const of = table === undefined ? 1 : `'${table.replaceAll("'", "''")}'`;
  const [[result] = []] = database.query(`PRAGMA ${check}(${of})`).values();
  // The problem may stand below a line with the name of the schema.
  if (result !== "ok") throw new DamagedDatabase(path, String(result).replace(/^\*\*\*.*\n/, ""));
}

export function content(database: Database, path: string): DatabaseContent {
  // The plants of removed accounts are removed in slices, and their counters at the end.
  const living = "account NOT IN (SELECT number FROM removed_accounts)";
  // A backup of the last schema before people and stores were apart has both in one table.
  const stores = one<{ name: string }>(
    database,
    "SELECT max(name) AS name FROM sqlite_schema WHERE name IN ('accounts', 'stores')",
  );
  const { kept, ...found } = one<Omit<DatabaseContent, "database"> & { readonly kept: number }>(
    database,
    `SELECT (SELECT max(name) FROM migrations) AS schema, (SELECT count(*) FROM plants WHERE ${living}) AS plants,
       (SELECT coalesce(sum(count), 0) FROM plant_counts WHERE ${living}) AS kept,
       (SELECT count(*) FROM ${stores.name}) AS accounts, value AS lastNumber, ${FILE_BYTES} AS bytes
     FROM counters, pragma_page_count(), pragma_page_size() WHERE counters.name = 'plant_number'`,
  );
  const { plants } = found;
  if (plants !== kept) throw new DamagedDatabase(path, `its count of plants is ${kept}, and it has ${plants}`);
  return { ...found, database: databaseId(database) };
}

function databaseId(database: Database): string | undefined {
  const query = database.query<{ id: string }, [string]>("SELECT value AS id FROM kept_secrets WHERE name = ?");
  return query.get(DATABASE_ID)?.id;
}

/** Acts on a connection of its own, as `explained` does. */
function reading<T>(path: string, act: (database: Database) => T): T {
  return explained(path, () => {
    const database = openForReading(path);
    try {
      return act(database);
    } finally {
      database.close();
    }
  });
}

/** Errors of SQLite name the file, and damage is thrown as DamagedDatabase. */
function explained<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code ?? "")) throw new DamagedDatabase(path, error.message);
    throw new Error(`Cannot read or copy ${path}: ${error.message}`, { cause: error });
  }
}

export function one<Row>(database: Database, query: string): Row {
  const row = database.query<Row, []>(query).get();
  if (!row) throw new Error(`${query} finds no row`);
  return row;
}
