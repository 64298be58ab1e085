import type { Kysely } from "kysely";
import { HOUR_MS, MINUTE_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import { newMark } from "#threads/process-mark.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DATABASE_NOW, isOver } from "./engine.ts";
import { leaseRecords } from "./leases.ts";
import type { Schema } from "./schema.ts";

const PREFIX = "node-";
/** A node that has not renewed its mark for this long does not run any more. */
const FRESH_MS = MINUTE_MS;

/**
 * Marks in the database that this node serves it, by a lease of its own, which a clean stop releases: on PostgreSQL
 * nothing else tells whoever must have the database alone.
 */
export function nodeMarkJob(access: DatabaseAccess): Job {
  const leases = leaseRecords(access);
  const mark = newMark();
  const lease = { name: `${PREFIX}${mark}`, holder: mark };
  return {
    name: "node-mark",
    intervalMs: FRESH_MS / 4,
    firstDelayMs: 0,
    async run() {
      await leases.take({ ...lease, durationMs: FRESH_MS });
      const abandoned = access.db.deleteFrom("leases").where("name", "like", `${PREFIX}%`);
      await abandoned
        .where("expires_at", "<", (row) => row(row.val(DATABASE_NOW[access.engine]), "-", HOUR_MS))
        .execute();
    },
    finish: () => leases.release(lease),
  };
}

/** How many nodes have marked the database and have not stopped since. */
export async function runningNodes(db: Kysely<Schema>): Promise<number> {
  const marks = db.selectFrom("leases").select("name").where("name", "like", `${PREFIX}%`);
  const fresh = marks.where((row) => row.not(isOver("expires_at", DATABASE_NOW.postgres, FRESH_MS)));
  return (await fresh.execute()).length;
}
