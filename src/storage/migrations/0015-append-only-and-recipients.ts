import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * - The audit log is append-only for REPLACE on SQLite, which removes the row before it without a trigger's consent, and for
 *   TRUNCATE on PostgreSQL, which may remove only what DELETE may.
 * - `mail_queue.recipient` is the address that an account had when a notice was queued.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable("mail_queue").addColumn("recipient", "text").execute();
  await (engine === "sqlite" ? refuseReplace(db) : refuseTruncate(db));
}

/** A row is replaced by its key or by its rowid, which is below zero here if the statement does not give it. */
async function refuseReplace(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TRIGGER audit_entries_not_replaced BEFORE INSERT ON audit_entries
    WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = NEW.id OR rowid = NEW.rowid)
    BEGIN
      SELECT RAISE(ABORT, 'the audit log is append-only');
    END`.execute(db);
}

async function refuseTruncate(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE FUNCTION refuse_audit_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM audit_entries WHERE at >= coalesce((SELECT max(before) FROM audit_purge), 0)) THEN
        RAISE EXCEPTION 'the audit log is append-only';
      END IF;
      RETURN NULL;
    END $$`.execute(db);
  await sql`
    CREATE TRIGGER audit_entries_not_truncated BEFORE TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_truncate()`.execute(db);
}
