import type { Kysely } from "kysely";
import type { Atomically } from "../atomically.ts";
import { whenNoConflict } from "./when-no-conflict.ts";

/** Statements in a transaction of their own, on a connection of their own. */
export function inTransaction<Tables>(db: Kysely<Tables>): Atomically {
  return (statements, mustChange) =>
    whenNoConflict(() =>
      db.transaction().execute(async (transaction) => {
        for (const [index, statement] of statements.entries()) {
          const { numAffectedRows = 0n } = await transaction.executeQuery(statement);
          mustChange?.(index, Number(numAffectedRows));
        }
      }),
    );
}
