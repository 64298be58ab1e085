import { type RawBuilder, sql } from "kysely";
import type { LeaseStore } from "#core/job.ts";
import { DATABASE_NOW, type Engine } from "./engine.ts";
import type { Queries } from "./queries.ts";

/** Leases on either engine. Each is one row, which a single statement takes or renews. */
export class Leases implements LeaseStore {
  readonly #db: Queries;
  readonly #now: RawBuilder<number>;

  constructor(db: Queries, engine: Engine) {
    this.#db = db;
    this.#now = DATABASE_NOW[engine];
  }

  async take({ name, holder, durationMs }: Parameters<LeaseStore["take"]>[0]): Promise<boolean> {
    const now = this.#now;
    const { numInsertedOrUpdatedRows = 0n } = await this.#db
      .insertInto("leases")
      .values({ name, holder, expires_at: sql<number>`${now} + ${sql.lit(Math.round(durationMs))}` })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet((row) => ({ holder: row.ref("excluded.holder"), expires_at: row.ref("excluded.expires_at") }))
          .where((row) => row.or([row("leases.holder", "=", holder), row("leases.expires_at", "<=", now)])),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n;
  }

  async release({ name, holder }: Parameters<LeaseStore["release"]>[0]): Promise<void> {
    await this.#db.deleteFrom("leases").where("name", "=", name).where("holder", "=", holder).execute();
  }
}
