import { sql } from "kysely";
import { MINUTE_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import { type DatabaseAccess, removeSome } from "../database-access.ts";

/** Removes expired sessions, devices, links and counts of throttles, in small batches. */
export function expiredRowsJob(access: DatabaseAccess): Job {
  return {
    name: "expired-sign-ins",
    intervalMs: 10 * MINUTE_MS,
    firstDelayMs: 30_000,
    exclusive: true,
    async run({ now }) {
      const expired = [
        ["sessions", "id", sql`expires_at < ${now}`],
        ["attempts", "key", sql`ends_at < ${now}`],
        ["invitations", "hash", sql`expires_at < ${now}`],
        ["mail_links", "hash", sql`expires_at < ${now}`],
        ["trusted_devices", "id", sql`expires_at < ${now}`],
        ...(access.engine === "postgres" ? ([["request_counts", "key", sql`expire < ${now}`]] as const) : []),
      ] as const;
      let more = false;
      // Each table is a separate unit, so that none takes long.
      for (const [table, key, isOver] of expired) more = (await removeSome(access, table, [key], isOver)) || more;
      return more ? 0 : undefined;
    },
  };
}
