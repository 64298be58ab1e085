import { type Kysely, sql } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * Queued mail, and the links that were mailed, by the SHA-256 of their secrets. A queued message holds no secret.
 * `tokens.expiry_noticed_at` is the time at which the holder was told that the token expires.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64, bytes } = columnTypes(engine);
  await db.schema
    .createTable("mail_queue")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("mail", "text", (column) => column.notNull())
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("next_at", int64, (column) => column.notNull())
    .addColumn("attempts", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("mail_queue_next").on("mail_queue").column("next_at").execute();
  await db.schema
    .createTable("mail_links")
    .addColumn("hash", bytes, (column) => column.primaryKey())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("expires_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("mail_links_user").on("mail_links").columns(["user_id", "purpose"]).execute();
  await db.schema.alterTable("tokens").addColumn("expiry_noticed_at", int64).execute();
  await sql`
    CREATE INDEX tokens_end ON tokens (expires_at)
    WHERE session_id IS NULL AND revoked_at IS NULL AND expiry_noticed_at IS NULL`.execute(db);
}
