import { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import { UnusableDatabase } from "#core/failure.ts";
import { type MigrationRights, migrate, needsUpgrade, olderSchema } from "../migrate.ts";
import { openForWriting } from "./connection.ts";
import { migratingDialect } from "./dialect.ts";
import { isBusy, whenNotBusy } from "./errors.ts";

/** Opens the file for durable writes once its schema is the newest. Throws UnusableDatabase. */
export async function openMigrated(path: string, { upgrades }: MigrationRights): Promise<Database> {
  const database = openForWriting(path);
  const db = migrating(database);
  try {
    if (!(await needsUpgrade(db))) {
      await migrate(db, "sqlite", { upgrades: false });
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

/** While no other process has the file open, and with foreign keys off, since a table that others refer to is replaced. */
async function upgradeAlone(path: string): Promise<void> {
  const database = new Database(path, { readwrite: true });
  try {
    // The first read takes the lock, whatever it is for (https://www.sqlite.org/wal.html, Use of WAL Without Shared-Memory).
    database.run("PRAGMA locking_mode = EXCLUSIVE");
    await whenNotBusy(() => database.run("PRAGMA synchronous = FULL"));
    await migrate(migrating(database), "sqlite", { upgrades: true });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new UnusableDatabase(
      `The schema of ${path} is not brought up to date while another process has it open: stop that, and start this one again`,
    );
  } finally {
    database.close();
  }
}

function migrating(database: Database): Kysely<unknown> {
  return new Kysely({ dialect: migratingDialect(database) });
}
