import { Database } from "bun:sqlite";
import { renameSync, rmSync, statSync } from "node:fs";
import type { AccountNumber } from "#core/plant.ts";
import type { LoggedRequest } from "#core/request-log.ts";
import { COLUMNS, columnsOf, partsOf } from "../request-log-query.ts";
import { createPrivate } from "./connection.ts";

/** How long to wait for a lock that another process holds. */
const LOCK_MS_MAX = 2000;
/** How long to wait until the write-ahead log is empty. */
const EMPTY_LOG_MS_MAX = 10_000;
const FORGOTTEN_AT_ONCE = 1000;
const ADDED_AT_ONCE = 200;
const EVICTED_AT_ONCE = 100;
/** The share of the log's room that one transaction adds. */
const ADDED_SHARE = 1 / 64;
/**
 * The room that is left for the write-ahead log. It starts again after 256 KiB, unless another process uses it at that
 * moment. At a quarter of its room it is emptied, and nothing is added before.
 */
const WAL_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Opens the request log, a separate file, so that it costs creates no lock, no fsync and no growth of their log. Nothing
 * else depends on it: a file that is not a database, or is broken, is moved aside and a new one is made.
 */
export function openRequestLog(path: string): Database {
  try {
    return prepared(path);
  } catch (error) {
    if (!isBroken(error)) throw error;
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    renameSync(path, `${path}.broken`);
    return prepared(path);
  }
}

/**
 * Adds them in parts, each once both the file and its log have room for it. That is asked for within the transaction, while no
 * other process writes, so that the bound holds for all of them together. Throws if the log stays too large.
 */
export function addRequests(log: Database, requests: readonly LoggedRequest[], bytesMax: number): void {
  const walMax = Math.min(bytesMax / 2, WAL_BYTES_MAX);
  const { evict, insert } = statementsOn(log);
  const step = log.transaction((part: readonly LoggedRequest[]) => {
    if (walBytes(log) > walMax / 4) return "log-full";
    // Few at a time, so that accounts with many requests lose them in turn.
    if (sizeOf(log).used > bytesMax - walMax && evict.run(EVICTED_AT_ONCE).changes > 0) return "evicted";
    for (const request of part) insert.run(...columnsOf(request));
    return "added";
  });
  for (const part of partsOf(requests, ADDED_AT_ONCE, bytesMax * ADDED_SHARE)) {
    const until = performance.now() + EMPTY_LOG_MS_MAX;
    for (let done = step.immediate(part); done !== "added"; done = step.immediate(part)) {
      if (done === "log-full") emptyLog(log, until);
    }
  }
  // Emptied pages are reused, so this is only needed after the bound was lowered.
  if (sizeOf(log).file > bytesMax) log.run("VACUUM");
}

/** Returns true if there may be more. */
export function forgetRequests(log: Database, from: number): boolean {
  // A clock that was ahead left times of the future, behind which older requests may follow.
  const until = Date.now();
  const first = log.query("SELECT at FROM requests WHERE at <= ? ORDER BY number LIMIT 1").get(until);
  const { at } = (first ?? {}) as { at?: number };
  if (at === undefined || at >= from) return false;
  const { changes } = log
    .query(
      "DELETE FROM requests WHERE number IN (SELECT number FROM requests WHERE at <= ? ORDER BY number LIMIT ?) AND at < ?",
    )
    .run(until, FORGOTTEN_AT_ONCE, from);
  return changes > 0;
}

/** Returns true if there may be more. */
export function removeRequests(log: Database, account: AccountNumber): boolean {
  const { changes } = log
    .query("DELETE FROM requests WHERE number IN (SELECT number FROM requests WHERE account = ? LIMIT ?)")
    .run(account, FORGOTTEN_AT_ONCE);
  return changes > 0;
}

function statementsOn(log: Database) {
  return {
    insert: log.query(`INSERT INTO requests (${COLUMNS}) VALUES (${COLUMNS.split(",").map(() => "?")})`),
    // The oldest of the account that has most.
    evict: log.query(
      `DELETE FROM requests WHERE number IN (
         SELECT number FROM requests WHERE account = (SELECT account FROM sizes ORDER BY bytes DESC LIMIT 1)
         ORDER BY number LIMIT ?
       )`,
    ),
  };
}

function walBytes(log: Database): number {
  return statSync(`${log.filename}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Empties the write-ahead log. Another process that is about to needs a moment in which nobody writes, so this one pauses. */
function emptyLog(log: Database, until: number): void {
  if (performance.now() > until) throw new Error("another process keeps its write-ahead log from being emptied");
  log.run("PRAGMA wal_checkpoint(TRUNCATE)");
  Bun.sleepSync(1);
}

/** The bytes of the used pages, and of all pages. */
function sizeOf(log: Database): { readonly used: number; readonly file: number } {
  return log
    .query(
      `SELECT (page_count - freelist_count) * page_size AS used, page_count * page_size AS file
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    )
    .get() as { used: number; file: number };
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
  `PRAGMA busy_timeout = ${LOCK_MS_MAX}`,
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = OFF",
  "PRAGMA wal_autocheckpoint = 64",
  "PRAGMA journal_size_limit = 524288",
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
  // How much each account has, which triggers follow, whichever process writes.
  "CREATE TABLE IF NOT EXISTS sizes AS SELECT account, sum(octet_length(entry)) AS bytes FROM requests GROUP BY account",
  "CREATE UNIQUE INDEX IF NOT EXISTS sizes_account ON sizes (account)",
  "CREATE INDEX IF NOT EXISTS sizes_bytes ON sizes (bytes)",
  `CREATE TRIGGER IF NOT EXISTS requests_added AFTER INSERT ON requests BEGIN
    INSERT INTO sizes VALUES (NEW.account, octet_length(NEW.entry))
      ON CONFLICT (account) DO UPDATE SET bytes = bytes + excluded.bytes;
  END`,
  `CREATE TRIGGER IF NOT EXISTS requests_removed AFTER DELETE ON requests BEGIN
    UPDATE sizes SET bytes = bytes - octet_length(OLD.entry) WHERE account = OLD.account;
    DELETE FROM sizes WHERE account = OLD.account AND bytes <= 0;
  END`,
] as const;
