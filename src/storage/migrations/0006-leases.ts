import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/** Leases for jobs that one process at a time may run. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("expires_at", columnTypes(engine).int64, (column) => column.notNull())
    .execute();
}
