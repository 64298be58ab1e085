import { Kysely } from "kysely";
import { migratingDialect as migratingPostgres } from "#storage/postgres/dialect.ts";
import { Pool } from "#storage/postgres/pool.ts";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { migratingDialect as migratingSqlite } from "#storage/sqlite/dialect.ts";
import type { TestEngine } from "./engines.ts";

/** A connection as migrations use it. `onStatement` is called after each statement. */
export function openForMigrations(
  engine: TestEngine,
  url: string,
  onStatement: () => void = () => {},
): { db: Kysely<unknown>; close: () => Promise<void> } {
  if (engine === "postgres") {
    const pool = new Pool(url, { sizeMax: 1, queryMsMax: 0 });
    return { db: new Kysely({ dialect: migratingPostgres(pool), log: onStatement }), close: () => pool.end() };
  }
  const database = openForWriting(url.slice("sqlite:".length));
  const db = new Kysely<unknown>({ dialect: migratingSqlite(database), log: onStatement });
  return { db, close: async () => database.close() };
}
