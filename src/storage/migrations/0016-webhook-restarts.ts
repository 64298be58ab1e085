import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * `restart_revision` is the revision with which delivery to an endpoint was begun anew, so that outcomes from before are
 * told from those since. Nothing is sent before `not_before`, milliseconds since 1970.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  for (const name of ["restart_revision", "not_before"]) {
    await db.schema
      .alterTable("webhook_endpoints")
      .addColumn(name, int64, (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
