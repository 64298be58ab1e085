import { Database, SQLiteError } from "bun:sqlite";
import { openForReading } from "./connection.ts";

const FILE_BYTES = "page_count * page_size";

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

/**
 * Checks the pages of a database while others write it. A check of the copy would not do: it gets new indexes, so damage
 * to those of the original would go unnoticed. Throws DamagedDatabase.
 */
export function checkOriginal(path: string): void {
  reading(path, (database) => checkPages(database, path, "quick_check"));
}

/**
 * Copies the database into a new file from one snapshot, while others write. Until the copy is done the write-ahead log
 * cannot start again from the front; nothing else changes for the writer. (SQLite's online backup starts again at every
 * write of another connection, so it would never end under load.) The copy is not flushed to the disk: the writer's
 * commits would wait for that, and the copy is read once and removed.
 */
export function copyDatabase(path: string, copy: string): void {
  reading(path, (database) => {
    database.run("PRAGMA query_only = OFF");
    database.run("PRAGMA synchronous = OFF");
    database.query("VACUUM INTO ?").run(copy);
  });
}

/** The maximum size of a copy of the database, in bytes. */
export function copySizeMax(path: string): number {
  const size = `SELECT ${FILE_BYTES} AS bytes FROM pragma_page_count(), pragma_page_size()`;
  return reading(path, (database) => one<{ bytes: number }>(database, size).bytes);
}

/**
 * Counts the rows of a file that nobody is writing to; `full` checks its pages first, and each index against its table.
 * Throws DamagedDatabase.
 */
export function checkDatabase(path: string, depth: "counts" | "full"): DatabaseContent {
  const database = new Database(path, { readonly: true });
  try {
    if (depth === "full") checkPages(database, path, "integrity_check");
    return content(database, path);
  } catch (error) {
    throw error instanceof DamagedDatabase ? error : new DamagedDatabase(path, String(error));
  } finally {
    database.close();
  }
}

function checkPages(database: Database, path: string, check: "quick_check" | "integrity_check"): void {
  const [[result] = []] = database.query(`PRAGMA ${check}(1)`).values();
  // The problem may stand below a line with the name of the schema.
  if (result !== "ok") throw new DamagedDatabase(path, String(result).replace(/^\*\*\*.*\n/, ""));
}

function content(database: Database, path: string): DatabaseContent {
  // The plants of removed accounts are removed in slices, and their counters at the end.
  const living = "account NOT IN (SELECT number FROM removed_accounts)";
  const { kept, ...found } = one<Omit<DatabaseContent, "database"> & { readonly kept: number }>(
    database,
    `SELECT (SELECT max(name) FROM migrations) AS schema, (SELECT count(*) FROM plants WHERE ${living}) AS plants,
       (SELECT coalesce(sum(count), 0) FROM plant_counts WHERE ${living}) AS kept,
       (SELECT count(*) FROM accounts) AS accounts, value AS lastNumber, ${FILE_BYTES} AS bytes
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

/** Acts on a connection of its own. Errors of SQLite name the file, and damage is thrown as DamagedDatabase. */
function reading<T>(path: string, act: (database: Database) => T): T {
  let database: Database | undefined;
  try {
    database = openForReading(path);
    return act(database);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code ?? "")) throw new DamagedDatabase(path, error.message);
    throw new Error(`Cannot read or copy ${path}: ${error.message}`, { cause: error });
  } finally {
    database?.close();
  }
}

function one<Row>(database: Database, query: string): Row {
  const row = database.query<Row, []>(query).get();
  if (!row) throw new Error(`${query} finds no row`);
  return row;
}
