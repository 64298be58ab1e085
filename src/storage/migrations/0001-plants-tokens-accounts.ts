import { type Kysely, sql } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * Keys lead with the account, so that a sharded PostgreSQL can spread them.
 * PostgreSQL: the key is the primary key, as sharding and logical replication ask for one that holds the account.
 * SQLite: `number` is the rowid, so the index on `account` alone is in fact (account, number).
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createAccounts(db, engine);
  await createPlants(db, engine);
  await createTokens(db, engine);
  await db.schema
    .createTable("kept_secrets")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
}

async function createAccounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { date, flag, serial } = columnTypes(engine);
  await db.schema
    .createTable("accounts")
    .addColumn("number", serial.type, serial.key)
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("email_verified", flag, (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("created_at", date, (column) => column.notNull())
    .addColumn("updated_at", date, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("credentials")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("provider_id", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", date)
    .addColumn("refresh_token_expires_at", date)
    .addColumn("scope", "text")
    .addColumn("password", "text")
    .addColumn("created_at", date, (column) => column.notNull())
    .addColumn("updated_at", date, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("credentials_user").on("credentials").column("user_id").execute();
}

async function createPlants(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  const plants = db.schema
    .createTable("plants")
    .addColumn("number", int64, (column) => (engine === "sqlite" ? column.primaryKey() : column.notNull()))
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("id", int64, (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("tag", "text")
    .addColumn("revision", int64, (column) => column.notNull().defaultTo(1))
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("updated_at", int64, (column) => column.notNull());
  if (engine === "sqlite") {
    await plants.execute();
    await db.schema.createIndex("plants_id").unique().on("plants").columns(["account", "id"]).execute();
  } else {
    await plants.addPrimaryKeyConstraint("plants_key", ["account", "id"]).execute();
  }
  const newest = db.schema.createIndex("plants_number").on("plants");
  await newest.columns(engine === "sqlite" ? ["account"] : ["account", "number"]).execute();
  await db.schema
    .createTable("plant_counts")
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("slot", int64, (column) => column.notNull())
    .addColumn("count", int64, (column) => column.notNull())
    .addPrimaryKeyConstraint("plant_counts_key", ["account", "slot"])
    .execute();
  if (engine === "sqlite") {
    await sql`CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL) WITHOUT ROWID`.execute(db);
    await sql`INSERT INTO counters VALUES ('plant_number', 0)`.execute(db);
  } else {
    await sql`CREATE SEQUENCE plant_number OWNED BY plants.number CACHE 1`.execute(db);
  }
}

async function createTokens(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64, bytes } = columnTypes(engine);
  await db.schema
    .createTable("tokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", int64, (column) => column.notNull().references("accounts.number").onDelete("cascade"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hash", bytes, (column) => column.notNull().unique())
    .addColumn("hint", "text", (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("created_at", int64, (column) => column.notNull())
    .addColumn("last_used_at", int64)
    .addColumn("expires_at", int64)
    .addColumn("revoked_at", int64)
    .addColumn("session_id", "text")
    .execute();
  await db.schema.createIndex("tokens_account").on("tokens").columns(["account", "created_at"]).execute();
  await db.schema.createIndex("tokens_session").on("tokens").column("session_id").execute();
}
