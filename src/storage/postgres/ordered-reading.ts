import { type LentConnection, type Pool, WAIT_MS_MAX } from "./pool.ts";

/**
 * A statement that the driver gave up would otherwise go on in the database. The planner has no statistics of newly
 * created plants, so their account looks small to it: it would read and sort them all to find the first ones, and join
 * all of them with a few candidates. These settings make it read plants in the order of an index and join them one by
 * one.
 */
export const BEGIN_ORDERED = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${WAIT_MS_MAX};
  SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL jit = off`;

/** Reads plants in the order of an index, in one snapshot and with a time limit. */
export function readInOrder<T>(pool: Pool, read: (client: LentConnection) => Promise<T>): Promise<T> {
  return pool.transaction(BEGIN_ORDERED, read);
}

/**
 * Called before the trigram index is used, for the rest of the transaction: that index has no order, and is only read
 * by bitmap scans.
 */
export async function allowBitmaps(client: LentConnection): Promise<void> {
  await client.query("SET LOCAL enable_bitmapscan = on");
}
