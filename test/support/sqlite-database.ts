import type { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import { migrate } from "#storage/migrate.ts";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { migratingDialect } from "#storage/sqlite/dialect.ts";
import { newMigratedDatabase } from "./engines.ts";
import { temporaryFolder } from "./service.ts";

/** A new file with tables and the stores 1, 2 and 3, opened as the service opens it. */
export async function openSqliteDatabase(): Promise<Database> {
  const url = await newMigratedDatabase("sqlite", temporaryFolder());
  const database = openForWriting(url.slice("sqlite:".length));
  await migrate(new Kysely({ dialect: migratingDialect(database) }), "sqlite", { upgrades: false });
  database.run(
    "INSERT INTO stores (number, id, name, created_at) SELECT value, value, '', 0 FROM json_each('[1, 2, 3]')",
  );
  return database;
}
