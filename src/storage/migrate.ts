import { type Kysely, sql } from "kysely";
import { MINUTE_MS } from "#core/duration.ts";
import { MissingDatabase, UnusableDatabase } from "#core/failure.ts";
import type { Queries } from "./database-access.ts";
import { COLUMN_TYPES, DATABASE_NOW, type Engine, isOver, type Migrations } from "./engine.ts";
import { fromAccounts } from "./migrations/from-accounts.ts";
import { allTables } from "./migrations/tables.ts";

/** The end of the name of a migration that older programs cannot live with; all others only add. */
const BREAKING = "-breaking";
/** It makes all tables in a new database, and brings one of the last schema before to them. */
const FIRST = `0024-people-and-stores${BREAKING}`;
const LAST_BEFORE = "0023-session-secrets";

/** The statements of each migration by its name, in their order, for a database that has tables. */
export const MIGRATIONS: Migrations = { [FIRST]: (_, engine) => fromAccounts(engine) };

export interface MigrationRights {
  /** True if a process may make a migration that older programs cannot live with, and after which nothing of them may run. */
  readonly upgrades: boolean;
  /** False if it makes no tables in a new database, and no migration at all; true by default. */
  readonly migrates?: boolean;
}

/**
 * Brings the database to the newest schema in one transaction, under the engine's own lock: processes that start
 * together wait for the first. Most migrations only add (expand, then contract), so that older nodes keep working; a breaking
 * one is made by a server, once no other program uses the database. Throws UnusableDatabase.
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
  rights: MigrationRights,
  migrations = MIGRATIONS,
): Promise<void> {
  const { names, isNew } = await pending(db, migrations);
  if (names.length === 0) return;
  if (rights.migrates === false) throw isNew ? new MissingDatabase("There is no database") : olderSchema();
  const keys = (mode: "ON" | "OFF") => sql.raw(`PRAGMA foreign_keys = ${mode}`).execute(db);
  // They would forbid that a table is replaced to which others refer, and are checked at the end.
  if (engine === "sqlite") await keys("OFF");
  try {
    await db.transaction().execute((trx) => runPending(trx, engine, rights, migrations));
  } finally {
    if (engine === "sqlite") await keys("ON");
  }
}

async function runPending<Tables>(
  db: Kysely<Tables>,
  engine: Engine,
  rights: MigrationRights,
  migrations: Migrations,
): Promise<void> {
  const { names, isNew } = await pending(db, migrations);
  const isUpgrade = !isNew && names.some(isBreaking);
  if (isUpgrade) await requireAlone(db, engine, rights);
  const of = isNew ? { ...migrations, [FIRST]: () => allTables(engine) } : migrations;
  for (const name of names) {
    for (const text of of[name]?.(COLUMN_TYPES[engine], engine) ?? []) await sql.raw(text).execute(db);
    await sql`INSERT INTO migrations (name, timestamp) VALUES (${name}, ${new Date().toISOString()})`.execute(db);
  }
  if (isUpgrade && engine === "sqlite") await requireReferences(db);
}

/** True if a breaking migration is due, which takes a connection of its own on SQLite. */
export async function needsUpgrade<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { names, isNew } = await pending(db);
  return !isNew && names.some(isBreaking);
}

function isBreaking(name: string): boolean {
  return name.endsWith(BREAKING);
}

/**
 * The migrations that have not run. There may be newer ones: an older node may be started again while newer ones run. Throws
 * UnusableDatabase for a schema that this program cannot use.
 */
async function pending<Tables>(
  db: Kysely<Tables>,
  migrations = MIGRATIONS,
): Promise<{ names: string[]; isNew: boolean }> {
  const tables = await db.introspection.getTables();
  const known = Object.keys(migrations);
  if (!tables.some(({ name }) => name === "migrations")) return { names: known, isNew: true };
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(db);
  requireKnown(rows, migrations);
  const done = new Set(rows.map(({ name }) => name));
  if (!done.has(FIRST) && !done.has(LAST_BEFORE)) throw unknownSchema();
  return { names: known.filter((name) => !done.has(name)), isNew: false };
}

/** True for the names of the migrations of the last schema before the first of these. */
export function isSchemaBefore(names: readonly string[]): boolean {
  return names.includes(LAST_BEFORE) && !names.includes(FIRST);
}

/** True if the newest migration of a database is this program's newest. */
export function isNewestSchema(name: string): boolean {
  return name === Object.keys(MIGRATIONS).at(-1);
}

/** Throws UnusableDatabase once a newer program has made such a migration beside this one. */
export async function requireKnownSchema(db: Queries): Promise<void> {
  requireKnown(await db.selectFrom("migrations").select("name").where("name", "like", `%${BREAKING}`).execute());
}

function requireKnown(done: readonly { readonly name: string }[], migrations = MIGRATIONS): void {
  const newer = done.find(({ name }) => isBreaking(name) && migrations[name] === undefined);
  if (newer === undefined) return;
  throw new UnusableDatabase(
    `The database has the schema of a newer Plantstore (${newer.name}), which this version cannot serve: start the newer one, or restore a backup from before its upgrade`,
  );
}

export function olderSchema(): UnusableDatabase {
  return new UnusableDatabase(
    "The database has the schema of an older Plantstore, which only a server brings up to date: start `plantstore serve` on it first",
  );
}

function unknownSchema(): UnusableDatabase {
  return new UnusableDatabase(
    "The database has the schema of a Plantstore from before 1.0.0 that this version does not know: only that of the last one before it can be brought up to date",
  );
}

/** A table is rebuilt without SQLite's own checks. */
async function requireReferences<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`PRAGMA foreign_key_check`.execute(db);
  const [row] = rows;
  if (row) throw new Error(`A row of ${row.table} refers to one of ${row.parent} that is not there`);
}

/** Refuses an upgrade beside running nodes. SQLite's connection is exclusive; a stopping node removes its mark and leases. */
async function requireAlone<Tables>(db: Kysely<Tables>, engine: Engine, { upgrades }: MigrationRights): Promise<void> {
  if (!upgrades) throw olderSchema();
  if (engine === "sqlite") return;
  const isHeld = sql`NOT ${isOver("expires_at", DATABASE_NOW.postgres, MINUTE_MS)}`;
  if ((await sql`SELECT 1 FROM leases WHERE ${isHeld} LIMIT 1`.execute(db)).rows.length === 0) return;
  throw new UnusableDatabase(
    "The schema of the database is not brought up to date while a node of an older Plantstore serves it: stop them all, and start this one again, a minute later if one was killed",
  );
}
