import type { CompiledQuery, Kysely } from "kysely";

/**
 * Runs statements in order as one unit: either all take effect, or none. `mustChange` is called after each statement
 * with its index and the number of rows it changed; if it throws, everything is rolled back and its error is thrown.
 * Each engine does this in its own way, since on SQLite a transaction that stays open across an await would include
 * other callers' statements.
 */
export type Atomically = (statements: readonly CompiledQuery[], mustChange?: ChangeCheck) => Promise<void>;

export type ChangeCheck = (index: number, rows: number) => void;

/** For an engine whose transactions have connections of their own. */
export function inTransaction<Tables>(db: Kysely<Tables>): Atomically {
  return (statements, mustChange) =>
    db.transaction().execute(async (transaction) => {
      for (const [index, statement] of statements.entries()) {
        const { numAffectedRows = 0n } = await transaction.executeQuery(statement);
        mustChange?.(index, Number(numAffectedRows));
      }
    });
}
