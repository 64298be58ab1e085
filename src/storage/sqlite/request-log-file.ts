import { Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync, renameSync, rmSync } from "node:fs";
import type { AccountNumber } from "#core/plant.ts";
import type { FoundRequest, LoggedRequest, RequestLogBounds, RequestLogQuery } from "#core/request-log.ts";
import { requestConditions } from "../request-log-query.ts";
import { createPrivate } from "./connection.ts";

const FORGOTTEN_AT_ONCE = 1000;

/**
 * The request log in a separate file, so that it costs creates no lock, no fsync and no growth of their log. Nothing
 * else depends on it: a broken file is moved aside and a new one is made.
 */
export class RequestLogFile {
  readonly #path: string;
  readonly #database: Database;

  constructor(path: string) {
    this.#path = path;
    this.#database = opened(path);
  }

  add(requests: readonly LoggedRequest[]): void {
    const insert = this.#database.query(
      `INSERT INTO requests (account, request_id, at, status, error, token, path, plant, address, entry)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#database.transaction(() => {
      for (const request of requests) insert.run(...columns(request));
    })();
  }

  list(account: AccountNumber, query: RequestLogQuery): FoundRequest[] {
    const { where, values } = requestConditions(account, query, () => "?");
    const rows = this.#database
      .query(`SELECT number, entry FROM requests WHERE ${where} ORDER BY number DESC LIMIT ?`)
      .all(...(values as SQLQueryBindings[]), query.limit) as { number: number; entry: string }[];
    return rows.map(({ number, entry }) => ({ number, request: JSON.parse(entry) }));
  }

  oldest(account: AccountNumber): number | undefined {
    const row = this.#database.query("SELECT at FROM requests WHERE account = ? ORDER BY number LIMIT 1").get(account);
    return (row as { at: number } | null)?.at;
  }

  forget({ from, bytesMax }: RequestLogBounds): boolean {
    const isTooLarge = this.#bytes() > bytesMax;
    // A clock that was ahead left times of the future, behind which older requests may follow.
    const [until, before] = isTooLarge ? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] : [Date.now(), from];
    const first = this.#database.query("SELECT at FROM requests WHERE at <= ? ORDER BY number LIMIT 1").get(until);
    const { at } = (first ?? {}) as { at?: number };
    if (at === undefined || at >= before) return false;
    const { changes } = this.#database
      .query(
        "DELETE FROM requests WHERE number IN (SELECT number FROM requests WHERE at <= ? ORDER BY number LIMIT ?) AND at < ?",
      )
      .run(until, FORGOTTEN_AT_ONCE, before);
    return changes > 0;
  }

  /** Returns true if there may be more. */
  removeSome(account: AccountNumber): boolean {
    const { changes } = this.#database
      .query("DELETE FROM requests WHERE number IN (SELECT number FROM requests WHERE account = ? LIMIT ?)")
      .run(account, FORGOTTEN_AT_ONCE);
    return changes > 0;
  }

  /** False if the file was removed: SQLite would continue to write to a file that nobody can find. */
  get isThere(): boolean {
    return existsSync(this.#path);
  }

  close(): void {
    this.#database.close();
  }

  /** The size of the used pages. Emptied pages are reused. */
  #bytes(): number {
    const { bytes } = this.#database
      .query(
        `SELECT (page_count - freelist_count) * page_size AS bytes
         FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
      )
      .get() as { bytes: number };
    return bytes;
  }
}

function columns(request: LoggedRequest): SQLQueryBindings[] {
  const { account, requestId, at, status, error, token, path, plantId, address } = request;
  const entry = JSON.stringify(request);
  return [
    account,
    requestId,
    at,
    status,
    error ?? null,
    token?.id ?? null,
    path,
    plantId ?? null,
    address ?? null,
    entry,
  ];
}

/** A file that is not a database, or is broken, is moved aside. */
function opened(path: string): Database {
  try {
    return prepared(path);
  } catch (error) {
    if (!isBroken(error)) throw error;
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    renameSync(path, `${path}.broken`);
    return prepared(path);
  }
}

function prepared(path: string): Database {
  createPrivate(path);
  const database = new Database(path, { create: true, readwrite: true });
  try {
    for (const statement of SCHEMA) database.run(statement);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function isBroken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB");
}

/**
 * Every column that is searched is in one index, with the rows of an account together: a search without result in
 * 20,000 rows of a million reads some 500 pages of it, and would read 20,000 pages of the table.
 */
const SCHEMA = [
  "PRAGMA busy_timeout = 2000",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = OFF",
  `CREATE TABLE IF NOT EXISTS requests (
    number INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    error INTEGER,
    token TEXT,
    path TEXT NOT NULL,
    plant TEXT,
    address TEXT,
    entry TEXT NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS requests_searched ON requests (account, number, status, token, plant, address, at, path)",
  // The new index begins with the same column.
  "DROP INDEX IF EXISTS requests_account",
  "CREATE INDEX IF NOT EXISTS requests_error ON requests (account, error) WHERE error IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS requests_id ON requests (request_id)",
] as const;
