import type { Kysely } from "kysely";
import { Failure } from "#core/failure.ts";
import { type Atomically, compiledSteps } from "../database-access.ts";
import { retried } from "../retried.ts";
import { isConflict } from "./errors.ts";
import { WAIT_MS_MAX } from "./pool.ts";

/** Runs a transaction, and runs it again if PostgreSQL rolled it back in favour of another: nothing of it was kept then. */
export function whenNoConflict<T>(transaction: () => Promise<T>): Promise<T> {
  const isPassing = (error: unknown) => isConflict(error instanceof Failure ? error.cause : error);
  return retried(transaction, isPassing, { delayMs: 10, msMax: WAIT_MS_MAX });
}

/** Statements in a transaction of their own, on a connection of their own. */
export function inTransaction<Tables>(db: Kysely<Tables>): Atomically {
  return async (steps) => {
    const compiled = compiledSteps(steps);
    await whenNoConflict(() =>
      db.transaction().execute(async (transaction) => {
        for (const { query, unchanged } of compiled) {
          const { numAffectedRows } = await transaction.executeQuery(query);
          if (!numAffectedRows) unchanged?.();
        }
      }),
    );
  };
}
