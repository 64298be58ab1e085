import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/** Leases of jobs that one process at a time may run, and an index by which expired verifications are removed. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("expires_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("verifications_expiry").on("verifications").column("expires_at").execute();
  await db.schema.createIndex("sessions_expiry").on("sessions").column("expires_at").execute();
  await db.schema.createIndex("attempts_end").on("attempts").column("ends_at").execute();
}
