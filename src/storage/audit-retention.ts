import { sql } from "kysely";
import { MINUTE_MS } from "#core/duration.ts";
import type { Job } from "#core/job.ts";
import type { AuditedAccess } from "./audit.ts";
import { removeSome } from "./database-access.ts";
import { endSignInWindows } from "./failed-sign-ins.ts";
import { removeOwnEntries } from "./removed-accounts.ts";

/**
 * The job that removes entries in batches when their retention time has passed, or their person is gone, and enters what was
 * only counted.
 */
export function auditRetentionJob(storage: AuditedAccess, keptMs: number): Job {
  return {
    name: "old-audit-entries",
    intervalMs: 10 * MINUTE_MS,
    exclusive: true,
    async run({ now }) {
      const moreWindows = await endSignInWindows(storage, now);
      const before = now - keptMs;
      await storage.db.updateTable("audit_purge").set({ before }).where("before", "<", before).execute();
      const moreEntries = await removeSome(storage, "audit_entries", ["id"], sql`at < ${before}`);
      const moreOfPeople = await removeOwnEntries(storage);
      return moreWindows || moreEntries || moreOfPeople ? 0 : undefined;
    },
  };
}
