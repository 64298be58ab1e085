import { Failure } from "#core/failure.ts";
import { type Retries, retried } from "../retried.ts";
import { isConflict } from "./errors.ts";
import { WAIT_MS_MAX } from "./pool.ts";

const CONFLICT_RETRIES: Retries = { delayMs: 10, msMax: WAIT_MS_MAX };

/** Runs a transaction, and runs it again if PostgreSQL rolled it back in favour of another: nothing of it was kept then. */
export function whenNoConflict<T>(transaction: () => Promise<T>): Promise<T> {
  return retried(transaction, metAnother, CONFLICT_RETRIES);
}

function metAnother(error: unknown): boolean {
  return isConflict(error instanceof Failure ? error.cause : error);
}
