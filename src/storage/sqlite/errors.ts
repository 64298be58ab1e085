import { SQLiteError } from "bun:sqlite";
import { storageUnavailable } from "#core/failure.ts";

/** https://www.sqlite.org/rescode.html: errors that an operator resolves (space, rights, locks, disks), not the caller. */
const STORAGE_ERRORS = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT|NOTADB|PROTOCOL|PERM|AUTH)/;

export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code ?? "");
}

export function isStorageError(error: unknown): boolean {
  return error instanceof SQLiteError && STORAGE_ERRORS.test(error.code ?? "");
}

/** The public form of an error: an error of the storage is "unavailable", any other is a fault and stays as it is. */
export function toFailure(error: unknown): unknown {
  return isStorageError(error) ? storageUnavailable(error) : error;
}
