import { sql } from "kysely";
import type { LeaseRecords } from "#core/job.ts";
import { hasEnded, hasEndedHere } from "#threads/process-mark.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DATABASE_NOW, type Engine, isOver } from "./engine.ts";

/** Whether a holder has ended. SQLite's processes are all on one machine and see each other's files. */
export const ENDED: Readonly<Record<Engine, (mark: string) => boolean>> = { sqlite: hasEnded, postgres: hasEndedHere };

/**
 * Leases on either engine. Each is one row, which a single statement takes or renews. The lease of a process of this machine that
 * has ended is taken over at once if its holder is a mark.
 */
export function leaseRecords({ db, engine }: DatabaseAccess): LeaseRecords {
  const now = DATABASE_NOW[engine];
  const isDead = ENDED[engine];
  const until = (durationMs: number) => sql<number>`${now} + ${sql.lit(Math.round(durationMs))}`;
  return {
    async acquire({ name, holder, durationMs }) {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto("leases")
        .values({ name, holder, expires_at: until(durationMs) })
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet((row) => ({ holder: row.ref("excluded.holder"), expires_at: row.ref("excluded.expires_at") }))
            .where((row) => row.or([row("leases.holder", "=", holder), isOver("leases.expires_at", now, durationMs)])),
        )
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows > 0n) return true;
      const held = await db.selectFrom("leases").select("holder").where("name", "=", name).executeTakeFirst();
      if (held === undefined || !isDead(held.holder)) return false;
      const { numUpdatedRows } = await db
        .updateTable("leases")
        .set({ holder, expires_at: until(durationMs) })
        .where("name", "=", name)
        .where("holder", "=", held.holder)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async release({ name, holder }) {
      await db.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
    },
  };
}
