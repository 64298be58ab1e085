import { sql } from "kysely";
import type { Queries } from "./queries.ts";
import type { Schema } from "./schema.ts";

/** Few enough for one statement on the serving thread; creates pass between two. */
const ROWS_AT_ONCE = 200;

interface ExpiringTable<Table extends keyof Schema & string> {
  readonly table: Table;
  readonly key: keyof Schema[Table] & string;
  /** The indexed column of the time at which a row expires. */
  readonly end: keyof Schema[Table] & string;
}

/** Removes the rows that expired before that time, in batches. `before` has the column's own form of a time. */
export async function removeExpired<Table extends keyof Schema & string>(
  db: Queries,
  { table, key, end }: ExpiringTable<Table>,
  before: number | string,
): Promise<void> {
  const [from, id, time] = [sql.table(table), sql.ref(key), sql.ref(end)];
  const expired = sql`SELECT ${id} FROM ${from} WHERE ${time} < ${before} ORDER BY ${time} LIMIT ${sql.lit(ROWS_AT_ONCE)}`;
  const removal = sql`DELETE FROM ${from} WHERE ${id} IN (${expired})`;
  for (;;) {
    const { numAffectedRows = 0n } = await removal.execute(db);
    if (numAffectedRows < BigInt(ROWS_AT_ONCE)) return;
  }
}
