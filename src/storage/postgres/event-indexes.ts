import { HOUR_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import { EVENT_INDEXES } from "../migrations/0021-history.ts";
import { Pool } from "./pool.ts";

/**
 * Creates the indexes that the migration leaves to this job where many events are stored already. Changes go on
 * meanwhile; histories are read in a slower way.
 */
export function eventIndexJob(url: string, shared: Pick<Pool, "rows">): Job {
  return {
    name: "event-indexes",
    intervalMs: 24 * HOUR_MS,
    firstDelayMs: 1000,
    exclusive: true,
    async run({ signal }) {
      for (const [name, on] of Object.entries(EVENT_INDEXES.postgres)) {
        signal.throwIfAborted();
        const found = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)";
        const [index] = await shared.rows<{ valid: boolean }>(found, [name]);
        if (!index?.valid) await createIndex(url, name, on);
      }
    },
  };
}

/** On a connection without the usual time limits. */
async function createIndex(url: string, name: string, on: string): Promise<void> {
  const pool = new Pool(url, { sizeMax: 1, queryMsMax: 0 });
  try {
    // An attempt that was ended may have left it.
    await pool.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await pool.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  } finally {
    await pool.end();
  }
}
