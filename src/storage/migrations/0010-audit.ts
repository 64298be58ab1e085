import { type Kysely, sql } from "kysely";
import { columnTypes, type Engine } from "../engine.ts";

/**
 * The audit log. Triggers make it append-only: a row is never changed, and is only removed when it is older than the
 * purge mark in `audit_purge`, or when its account is being removed. There is no foreign key: the entry of an account's
 * removal stays.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { int64 } = columnTypes(engine);
  await db.schema
    .createTable("audit_entries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account", int64, (column) => column.notNull())
    .addColumn("at", int64, (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("actor_kind", "text", (column) => column.notNull())
    .addColumn("actor_id", "text", (column) => column.notNull())
    .addColumn("actor_name", "text", (column) => column.notNull())
    .addColumn("target", "text")
    .addColumn("address", "text")
    .addColumn("device", "text")
    .addColumn("request_id", "text")
    .addColumn("detail", "text")
    .execute();
  await db.schema.createIndex("audit_entries_account").on("audit_entries").columns(["account", "id"]).execute();
  await db.schema.createIndex("audit_entries_at").on("audit_entries").column("at").execute();
  await db.schema
    .createTable("audit_purge")
    .addColumn("before", int64, (column) => column.notNull())
    .execute();
  await sql`INSERT INTO audit_purge VALUES (0)`.execute(db);
  await db.schema
    .createTable("failed_sign_ins")
    .addColumn("account", int64, (column) => column.primaryKey())
    .addColumn("count", int64, (column) => column.notNull())
    .addColumn("ends_at", int64, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("failed_sign_ins_end").on("failed_sign_ins").column("ends_at").execute();
  await (engine === "sqlite" ? sqliteTriggers(db) : postgresTriggers(db));
}

async function sqliteTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries BEGIN
      SELECT RAISE(ABORT, 'the audit log is append-only');
    END`.execute(db);
  await sql`
    CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
    WHEN OLD.at >= (SELECT before FROM audit_purge)
      AND (OLD.action = 'account.deleted' OR NOT EXISTS (SELECT 1 FROM removed_accounts WHERE number = OLD.account))
    BEGIN
      SELECT RAISE(ABORT, 'the audit log is append-only');
    END`.execute(db);
}

async function postgresTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND (
        OLD.at < (SELECT before FROM audit_purge)
        OR OLD.action <> 'account.deleted' AND EXISTS (SELECT 1 FROM removed_accounts WHERE number = OLD.account)
      ) THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the audit log is append-only';
    END $$`.execute(db);
  await sql`
    CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()`.execute(db);
}
