import type { Kysely } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/** Sessions, second factors, passkeys, and the counters that slow down guessing. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { flag } = columnTypes(engine);
  await db.schema.alterTable("accounts").addColumn("two_factor_enabled", flag).execute();
  await createSessions(db, engine);
  await createSecondFactors(db, engine);
  await createPasskeys(db, engine);
  await createAttempts(db, engine);
}

async function createSessions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { date } = columnTypes(engine);
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("token", "text", (column) => column.notNull().unique())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("expires_at", date, (column) => column.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .addColumn("created_at", date, (column) => column.notNull())
    .addColumn("updated_at", date, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sessions_user").on("sessions").column("user_id").execute();
  await db.schema
    .createTable("verifications")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("expires_at", date, (column) => column.notNull())
    .addColumn("created_at", date, (column) => column.notNull())
    .addColumn("updated_at", date, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("verifications_identifier").on("verifications").column("identifier").execute();
}

async function createSecondFactors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { flag } = columnTypes(engine);
  await db.schema
    .createTable("second_factors")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("backup_codes", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("verified", flag)
    .execute();
  await db.schema.createIndex("second_factors_user").on("second_factors").column("user_id").execute();
}

async function createPasskeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { date, flag } = columnTypes(engine);
  await db.schema
    .createTable("passkeys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text")
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .addColumn("counter", "integer", (column) => column.notNull())
    .addColumn("device_type", "text", (column) => column.notNull())
    .addColumn("backed_up", flag, (column) => column.notNull())
    .addColumn("transports", "text")
    .addColumn("created_at", date)
    .addColumn("aaguid", "text")
    .execute();
  await db.schema.createIndex("passkeys_user").on("passkeys").column("user_id").execute();
}

async function createAttempts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("attempts")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("count", int64, (column) => column.notNull())
    .addColumn("ends_at", int64, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("welcome_codes")
    .addColumn("place", "integer", (column) => column.primaryKey())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("used_by", "text")
    .execute();
}
