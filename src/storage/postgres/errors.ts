import pg from "pg";
import { Failure, storageUnavailable, unconfirmed } from "#core/failure.ts";

/**
 * SQLSTATE classes (PostgreSQL manual, appendix A) of errors that time or an operator resolves, not the caller:
 * connections, a read-only standby, rights, a missing database, conflicts between transactions, resources, locks,
 * shutdowns, disks.
 */
const STORAGE_ERRORS = /^(?:08|25006|25P0|28|3D|40|42501|53|55|57|58|XX)/;
/** The connection ended before the answer came: the write may or may not be on disk. */
const CONNECTION_LOST = /^(?:08|57P0)/;
const CONFLICT = /^(?:40001|40P01)$/;
const UNIQUE_VIOLATION = "23505";
/** A named statement does not exist, or already exists. */
const STATEMENT_LOST = /^(?:26000|42P05)$/;

/** The database's disk has no room, or does not work. */
export function isDiskError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(?:53100|58030)$/.test(error.code ?? "");
}

export function isForbidden(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "42501";
}

/** Two transactions conflicted and this one was rolled back. It is run again; the conflict is never reported. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && CONFLICT.test(error.code ?? "");
}

/** There is a plant with that id already. */
export function isIdTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === "plants_key";
}

/**
 * A pooler gave the transaction a connection that does not know the named statement. Nothing was done, so it can be
 * repeated.
 */
export function isStatementLost(error: unknown): boolean {
  return error instanceof pg.DatabaseError && STATEMENT_LOST.test(error.code ?? "");
}

/** PgBouncer takes no settings with a new connection, unless it is told to ignore them. */
export function isSettingRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.message.startsWith("unsupported startup parameter");
}

/** Errors that the driver itself throws concern the connection; programming errors are TypeErrors or the like. */
export function isStorageError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return STORAGE_ERRORS.test(error.code ?? "");
  return (
    error instanceof Error && ![Failure, TypeError, RangeError, ReferenceError].some((one) => error instanceof one)
  );
}

/** The database is not there, or ended the connection. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return CONNECTION_LOST.test(error.code ?? "");
  return isStorageError(error) && !tookTooLong(error);
}

/** A statement took too long, or no connection was free in time. Neither says whether the database is there. */
export function tookTooLong(error: unknown): boolean {
  return (
    error instanceof Error && /^(?:Query read timeout|timeout exceeded when|No connection was free)/.test(error.message)
  );
}

/**
 * The public form of an error: a storage error becomes "unavailable"; any other is a fault and is returned unchanged.
 */
export function toFailure(error: unknown): unknown {
  return isStorageError(error) ? storageUnavailable(error) : error;
}

/** Acts; an error of the storage becomes "unavailable". */
export async function asFailure<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toFailure(error);
  }
}

/** After a lost connection, or no answer in time, nobody can tell whether the write took effect. */
export function isOutcomeUnknown(error: unknown): boolean {
  return isStorageError(error) && (!(error instanceof pg.DatabaseError) || isConnectionLost(error));
}

/** The public form of an error that ended a write. */
export function toWriteFailure(error: unknown): unknown {
  return isOutcomeUnknown(error) ? unconfirmed("The database did not answer", error) : toFailure(error);
}

/** One line for the log, without addresses or passwords. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error instanceof Failure && error.cause) return reasonOf(error.cause);
  const { message = "", code = "" } = error instanceof Error ? (error as Error & { code?: string }) : {};
  return (message || code || String(error)).replace(/\s+/g, " ");
}
