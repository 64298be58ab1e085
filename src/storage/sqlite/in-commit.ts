import type { Atomically } from "../atomically.ts";
import type { SqliteCommitter } from "./writers.ts";

/** Runs statements as one unit in the committer's next transaction, with its fsync. */
export function inCommit(committer: SqliteCommitter): Atomically {
  return (statements, mustChange) =>
    committer.run((writers) => {
      for (const [index, statement] of statements.entries()) {
        const { rows, numAffectedRows = BigInt(rows.length) } = writers.execute(statement);
        mustChange?.(index, Number(numAffectedRows));
      }
    });
}
