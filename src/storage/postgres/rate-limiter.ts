import { RateLimiterPostgres } from "rate-limiter-flexible";
import { toFailure } from "./errors.ts";
import type { Pool } from "./pool.ts";

/**
 * Counts requests for all nodes together, in an unlogged table: the counts need not survive a crash, and cost no fsync.
 */
export function sharedRateLimiter(pool: Pool, requestsPerSecond: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: { query: (query: { text: string; values: unknown[] }) => counted(pool, query) },
    storeType: "client",
    tableName: "request_counts",
    tableCreated: true,
    points: requestsPerSecond,
    duration: 1,
    inMemoryBlockOnConsumed: requestsPerSecond + 1,
  });
}

/** Sent without the statement's name: behind a pooler the next transaction may run where that statement is unknown. */
async function counted(pool: Pool, { text, values }: { text: string; values: unknown[] }) {
  try {
    return await pool.query({ text, values });
  } catch (error) {
    throw toFailure(error);
  }
}
