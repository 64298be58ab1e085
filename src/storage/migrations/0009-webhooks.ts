import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * Webhook endpoints, their secrets (sealed), and their deliveries. `position` is the number up to which every event was
 * attempted; only failed events have rows, in `webhook_retries`. The log of an endpoint is a ring of rows, so it never
 * grows. There is no foreign key: an account's rows are removed in slices.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("webhook_endpoints")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("types", "text")
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("delivery", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("failing_since", int64)
    .addColumn("failures", int64, (column) => column.notNull().defaultTo(0))
    .addColumn("position", int64, (column) => column.notNull())
    .addColumn("revision", int64, (column) => column.notNull().defaultTo(1))
    .addColumn("holder", "text")
    .addColumn("held_until", int64, (column) => column.notNull().defaultTo(0))
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("updated_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhook_endpoints_account").on("webhook_endpoints").column("account").execute();
  await db.schema
    .createTable("webhook_secrets")
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("hint", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("expires_at", int64)
    .addPrimaryKeyConstraint("webhook_secrets_key", ["endpoint", "sealed"])
    .execute();
  await createDeliveries(db, engine);
}

async function createDeliveries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("webhook_retries")
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("number", int64, (column) => column.notNull())
    .addColumn("attempts", int64, (column) => column.notNull())
    .addColumn("next_at", int64, (column) => column.notNull())
    .addPrimaryKeyConstraint("webhook_retries_key", ["endpoint", "number"])
    .execute();
  await db.schema.createIndex("webhook_retries_due").on("webhook_retries").columns(["endpoint", "next_at"]).execute();
  await db.schema
    .createTable("webhook_replays")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("position", int64, (column) => column.notNull())
    .addColumn("until", int64, (column) => column.notNull())
    .addColumn("types", "text")
    .addColumn("created_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhook_replays_endpoint").on("webhook_replays").column("endpoint").execute();
  await db.schema
    .createTable("webhook_attempts")
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("slot", int64, (column) => column.notNull())
    .addColumn("sequence", int64, (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("attempt", int64, (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("http_status", int64)
    .addColumn("error", "text")
    .addColumn("ms", int64, (column) => column.notNull())
    .addColumn("at", int64, (column) => column.notNull())
    .addColumn("next_at", int64)
    .addColumn("excerpt", "text")
    .addPrimaryKeyConstraint("webhook_attempts_key", ["endpoint", "slot"])
    .execute();
  await db.schema
    .createTable("webhook_nodes")
    .addColumn("node", "text", (column) => column.primaryKey())
    .addColumn("alive_until", int64, (column) => column.notNull())
    .execute();
}
