import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { Kysely } from "kysely";
import { MissingDatabase, UnusableDatabase } from "#core/failure.ts";
import { type MigrationRights, migrate, needsUpgrade, olderSchema } from "../migrate.ts";
import { openForWriting } from "./connection.ts";
import { migratingDialect } from "./dialect.ts";
import { isBusy } from "./errors.ts";

/** Opens the file for durable writes once its schema is the newest. Throws UnusableDatabase. */
export async function openMigrated(path: string, { upgrades, migrates = true }: MigrationRights): Promise<Database> {
  if (!migrates && !existsSync(path)) throw new MissingDatabase("There is no database");
  const database = openForWriting(path);
  const db = migrating(database);
  try {
    if (!(await needsUpgrade(db))) {
      await migrate(db, "sqlite", { upgrades: false, migrates });
      return database;
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  if (!upgrades) throw olderSchema();
  await upgradeAlone(path);
  return openMigrated(path, { upgrades: false });
}

/** Upgrades while no other process has the file open. */
async function upgradeAlone(path: string): Promise<void> {
  const database = openAlone(path);
  try {
    await migrate(migrating(database), "sqlite", { upgrades: true });
  } finally {
    database.close();
  }
}

function openAlone(path: string): Database {
  try {
    return openForWriting(path, { alone: true });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new UnusableDatabase(
      `The schema of ${path} is not brought up to date while another process has it open: stop that, and start this one again`,
    );
  }
}

function migrating(database: Database): Kysely<unknown> {
  return new Kysely({ dialect: migratingDialect(database) });
}
