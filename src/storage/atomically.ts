import type { CompiledQuery, Kysely } from "kysely";

/**
 * Runs statements as one unit, in their order: all of them are kept, or none. `mustChange` is called after each with
 * its index and how many rows it changed; if it throws, all is undone and its error is the caller's. Each engine has its
 * own way, since on SQLite a transaction that is open across an await would take other callers' statements with it.
 */
export type Atomically = (statements: readonly CompiledQuery[], mustChange?: ChangeCheck) => Promise<void>;

export type ChangeCheck = (index: number, rows: number) => void;

/** For an engine whose transactions have a connection of their own. */
export function inTransaction<Tables>(db: Kysely<Tables>): Atomically {
  return (statements, mustChange) =>
    db.transaction().execute(async (transaction) => {
      for (const [index, statement] of statements.entries()) {
        const { numAffectedRows = 0n } = await transaction.executeQuery(statement);
        mustChange?.(index, Number(numAffectedRows));
      }
    });
}
