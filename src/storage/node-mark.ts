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
 * The mark in the database that this node serves it, by a lease of its own, which a clean stop releases: on PostgreSQL
 * nothing else tells whoever must have the database alone. It is set before anything is served, and kept by the job.
 */
export class NodeMark {
  readonly #lease = leaseOf(newMark());

  async set(access: DatabaseAccess): Promise<void> {
    await leaseRecords(access).acquire({ ...this.#lease, durationMs: FRESH_MS });
  }

  job(access: DatabaseAccess): Job {
    return {
      name: "node-mark",
      intervalMs: FRESH_MS / 4,
      run: async () => {
        await this.set(access);
        const abandoned = access.db.deleteFrom("leases").where("name", "like", `${PREFIX}%`);
        await abandoned
          .where("expires_at", "<", (row) => row(row.val(DATABASE_NOW[access.engine]), "-", HOUR_MS))
          .execute();
      },
      finish: () => leaseRecords(access).release(this.#lease),
    };
  }
}

function leaseOf(mark: string) {
  return { name: `${PREFIX}${mark}`, holder: mark };
}

/** How many nodes have marked the database and have not stopped since. */
export async function runningNodes(db: Kysely<Schema>): Promise<number> {
  const marks = db.selectFrom("leases").select("name").where("name", "like", `${PREFIX}%`);
  const fresh = marks.where((row) => row.not(isOver("expires_at", DATABASE_NOW.postgres, FRESH_MS)));
  return (await fresh.execute()).length;
}
