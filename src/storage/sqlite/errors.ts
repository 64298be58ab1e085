import { SQLiteError } from "bun:sqlite";
import { storageUnavailable } from "#core/failure.ts";

/**
 * Errors that an operator resolves (space, rights, locks, disks), not the caller (https://www.sqlite.org/rescode.html).
 */
const STORAGE_ERRORS = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)/;

export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code ?? "");
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

/** Reads; an error of the storage becomes "unavailable". */
export function asFailure<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toFailure(error);
  }
}
