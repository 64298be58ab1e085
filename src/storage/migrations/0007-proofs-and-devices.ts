import { type Kysely, sql } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * - `accounts.sign_in_epoch` grows with every change of password. A session is only added under the epoch that its
 *   sign-in began with, so a sign-in with the old password does not outlive the change.
 * - `sessions.proof` says how its holder last proved who they are: "sign-in", "asked", or "spent" once a passkey was
 *   added or removed with it.
 * - Rows that have expired are removed in batches, by an index of their ends.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64, bytes, flag } = columnTypes(engine);
  await db.schema
    .alterTable("accounts")
    .addColumn("sign_in_epoch", int64, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("sessions").addColumn("remembered", flag).execute();
  await db.schema.alterTable("sessions").addColumn("proved_at", int64).execute();
  await db.schema.alterTable("sessions").addColumn("proof", "text").execute();
  await db.schema
    .createTable("trusted_devices")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("hash", bytes, (column) => column.notNull().unique())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("user_agent", "text", (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("last_used_at", int64, (column) => column.notNull())
    .addColumn("expires_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("trusted_devices_user").on("trusted_devices").column("user_id").execute();
  await db.schema.createIndex("trusted_devices_end").on("trusted_devices").column("expires_at").execute();
  await sql`CREATE INDEX tokens_session_end ON tokens (expires_at) WHERE session_id IS NOT NULL`.execute(db);
}
