import type { Database } from "bun:sqlite";
import type { Atomically } from "../atomically.ts";
import type { Committer } from "./committer.ts";
import { bindings } from "./dialect.ts";

/** Statements that join the committer's next transaction, and its fsync, as one unit. */
export function inCommit(database: Database, committer: Committer): Atomically {
  return (statements, mustChange) =>
    committer.run(() => {
      for (const [place, statement] of statements.entries()) {
        const { changes } = database.query(statement.sql).run(...bindings(statement));
        mustChange?.(place, changes);
      }
    });
}
