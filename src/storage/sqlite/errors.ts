import { SQLiteError } from "bun:sqlite";
import { storageUnavailable, unconfirmed } from "#core/failure.ts";
import { type Retries, retried } from "../retried.ts";

/**
 * Errors that an operator resolves (space, rights, locks, disks), not the caller (https://www.sqlite.org/rescode.html).
 */
const STORAGE_ERRORS = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)/;

export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code ?? "");
}

/** The disk has no room, or does not work. */
export function isDiskError(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:FULL|IOERR)/.test(error.code ?? "");
}

/** The time that a statement waits for the lock of another process. */
export const LOCK_RETRIES: Retries = { delayMs: 25, msMax: 2000 };

/** Runs `work` now; while another process holds the lock, it is run again by a timer. */
export function whenNotBusy<T>(work: () => T, retries = LOCK_RETRIES): Promise<T> {
  return retried(work, isBusy, retries);
}

export function isStorageError(error: unknown): boolean {
  return error instanceof SQLiteError && STORAGE_ERRORS.test(error.code ?? "");
}

/**
 * The public form of an error: a storage error becomes "unavailable"; any other is a fault and is returned unchanged.
 */
export function toFailure(error: unknown): unknown {
  return isStorageError(error) ? storageUnavailable(error) : error;
}

/**
 * The public form of an error that ended a write. After a COMMIT that failed otherwise than for want of room, its rows may
 * stand in the log: nobody reads them unless the process is killed before the next transaction overwrites them.
 */
export function toWriteFailure(error: unknown, committing: boolean): unknown {
  const isKnown = !committing || (error instanceof SQLiteError && error.code === "SQLITE_FULL");
  return isKnown || !isStorageError(error) ? toFailure(error) : unconfirmed("The disk did not confirm it", error);
}

/** Reads; an error of the storage becomes "unavailable". */
export function asFailure<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toFailure(error);
  }
}
