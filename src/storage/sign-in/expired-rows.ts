import { sql } from "kysely";
import type { DatabaseAccess } from "../database-access.ts";

const ROWS_EACH = 500;

/** Removes some expired rows of each table of sign-in, and of throttles. Resolves with true if there may be more. */
export async function removeExpiredRows({ db, atomically, engine }: DatabaseAccess, now: number): Promise<boolean> {
  const past = new Date(now).toISOString();
  const expired = [
    ["sessions", "id", sql`expires_at < ${past}`],
    ["verifications", "id", sql`expires_at < ${past}`],
    ["attempts", "key", sql`ends_at < ${now}`],
    ["trusted_devices", "id", sql`expires_at < ${now}`],
    ["tokens", "id", sql`session_id IS NOT NULL AND expires_at < ${now}`],
    ...(engine === "postgres" ? ([["request_counts", "key", sql`expire < ${now}`]] as const) : []),
  ] as const;
  let more = false;
  // Each table is a separate unit, so that none takes long.
  for (const [name, key, isOver] of expired) {
    const [table, id] = [sql.table(name), sql.ref(key)];
    const some = sql<{ id: string }>`(SELECT ${id} AS id FROM ${table} WHERE ${isOver} LIMIT ${sql.lit(ROWS_EACH)})`;
    const found = await db.selectFrom(some.as("expired")).select("id").execute();
    more ||= found.length === ROWS_EACH;
    if (found.length > 0) await atomically([sql`DELETE FROM ${table} WHERE ${id} IN ${some}`.compile(db)]);
  }
  return more;
}
