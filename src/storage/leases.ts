import { sql } from "kysely";
import type { LeaseRecords } from "#core/job.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DATABASE_NOW, isOver } from "./engine.ts";

/** Leases on either engine. Each is one row, which a single statement takes or renews. */
export function leaseRecords({ db, engine }: DatabaseAccess): LeaseRecords {
  const now = DATABASE_NOW[engine];
  return {
    async take({ name, holder, durationMs }) {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto("leases")
        .values({ name, holder, expires_at: sql<number>`${now} + ${sql.lit(Math.round(durationMs))}` })
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet((row) => ({ holder: row.ref("excluded.holder"), expires_at: row.ref("excluded.expires_at") }))
            .where((row) => row.or([row("leases.holder", "=", holder), isOver("leases.expires_at", now, durationMs)])),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows > 0n;
    },

    async release({ name, holder }) {
      await db.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
    },
  };
}
