import pg from "pg";
import { Failure, storageUnavailable, unavailable } from "#core/failure.ts";

/**
 * SQLSTATE classes (PostgreSQL manual, appendix A) of errors that an operator or time resolves, not the caller: connections,
 * a read-only standby, rights, a missing database, conflicts between transactions, resources, locks, shutdowns, disks.
 */
const STORAGE_ERRORS = /^(?:08|25006|25P0|28|3D|40|42501|53|55|57|58|XX)/;
/** The connection ended with the answer still out: what was sent may be on disk or not. */
const CONNECTION_LOST = /^(?:08|57P0)/;
const CONFLICT = /^(?:40001|40P01)$/;
/** A named statement is not there, or is there already. */
const STATEMENT_LOST = /^(?:26000|42P05)$/;

/** Two transactions met, and this one was rolled back to let the other pass: it is run again, never answered. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && CONFLICT.test(error.code ?? "");
}

/** A pooler gave the transaction a connection that does not know the named statement. Nothing was done: do it again. */
export function isStatementLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && STATEMENT_LOST.test(error.code ?? "");
}

/** Errors that the driver itself throws are about the connection; programming errors are TypeErrors or the like. */
export function isStorageError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return STORAGE_ERRORS.test(error.code ?? "");
  return error instanceof Error && !(error instanceof Failure) && !isProgrammingError(error);
}

function isProgrammingError(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/** The public form of an error: an error of the storage is "unavailable", any other is a fault and stays as it is. */
export function toFailure(error: unknown): unknown {
  return isStorageError(error) ? storageUnavailable(error) : error;
}

/** The public form of an error that ended a write: after a lost connection nobody can tell what became of it. */
export function toWriteFailure(error: unknown): unknown {
  if (!isStorageError(error)) return error;
  if (error instanceof pg.DatabaseError && !CONNECTION_LOST.test(error.code ?? "")) return storageUnavailable(error);
  return unavailable(
    "The database did not answer, so it may have been kept or not. Send it again: to repeat it is safe.",
    error,
  );
}

/** One line for the log, without an address or a password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof Failure && error.cause) return reasonOf(error.cause);
  const { message = "", code = "" } = error instanceof Error ? (error as Error & { code?: string }) : {};
  return (message || code || String(error)).replace(/\s+/g, " ");
}
