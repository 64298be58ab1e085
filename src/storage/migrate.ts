import { type Kysely, type Migration, Migrator, sql } from "kysely";
import { MissingDatabase, UnusableDatabase } from "#core/failure.ts";
import type { Queries } from "./database-access.ts";
import { COLUMN_TYPES, type Engine, type Migrations } from "./engine.ts";
import { migrations as accountsPlantsAndSignIn } from "./migrations/0001-0007.ts";
import { migrations as eventsWebhooksAndAudit } from "./migrations/0008-0011.ts";
import { migrations as requestsAndLater } from "./migrations/0012-0018.ts";
import { migrations as people } from "./migrations/0019-0023.ts";
import { migrations as history } from "./migrations/0021-history.ts";
import { migrations as searchRanges } from "./migrations/0022-search-ranges.ts";

const MIGRATIONS: Migrations = {
  ...accountsPlantsAndSignIn,
  ...eventsWebhooksAndAudit,
  ...requestsAndLater,
  ...people,
  ...history,
  ...searchRanges,
};

/**
 * Brings the database to the newest schema in one transaction, under the engine's own lock: processes that start
 * together wait for the first. A migration only adds (expand, then contract), so that older nodes keep working. With `only`, the
 * others do not run, which makes the schema of an earlier release.
 */
export async function migrate<Tables>(db: Kysely<Tables>, engine: Engine, only?: ReadonlySet<string>): Promise<void> {
  if ((await schemaOf(db)) === "current") return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => forEngine(engine, only) },
    migrationTableName: "migrations",
    migrationLockTableName: "migration_lock",
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Throws MissingDatabase where there are no tables, and UnusableDatabase where a start of the service has to bring them up to date. */
export async function requireMigrated<Tables>(db: Kysely<Tables>): Promise<void> {
  const schema = await schemaOf(db);
  if (schema === "none") throw new MissingDatabase("There is no database");
  if (schema === "older")
    throw new UnusableDatabase(
      "The database has the schema of an older Plantstore: start the service once, which brings it up to date",
    );
}

/**
 * The schema is current if all known migrations have run. There may be newer ones: an older node may be started again while
 * newer ones run.
 */
async function schemaOf<Tables>(db: Kysely<Tables>): Promise<"none" | "older" | "current"> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "migrations")) return "none";
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(db);
  requireKnown(rows);
  const done = new Set(rows.map(({ name }) => name));
  return Object.keys(MIGRATIONS).every((name) => done.has(name)) ? "current" : "older";
}

/** The end of the name of a migration that older programs cannot live with; all others only add. */
const BREAKING = "-breaking";

/** Throws UnusableDatabase once a newer program has made such a migration beside this one. */
export async function requireKnownSchema(db: Queries): Promise<void> {
  requireKnown(await db.selectFrom("migrations").select("name").where("name", "like", `%${BREAKING}`).execute());
}

function requireKnown(done: readonly { readonly name: string }[]): void {
  const newer = done.find(({ name }) => name.endsWith(BREAKING) && MIGRATIONS[name] === undefined);
  if (newer === undefined) return;
  throw new UnusableDatabase(
    `The database has the schema of a newer Plantstore (${newer.name}), which this version cannot serve: start the newer one, or restore a backup from before its upgrade`,
  );
}

function forEngine(engine: Engine, only?: ReadonlySet<string>): Record<string, Migration> {
  const run = (name: string) => async (db: Kysely<unknown>) => {
    for (const text of MIGRATIONS[name]?.(COLUMN_TYPES[engine], engine) ?? []) await sql.raw(text).execute(db);
  };
  const names = Object.keys(MIGRATIONS).filter((name) => only?.has(name) ?? true);
  return Object.fromEntries(names.map((name) => [name, { up: run(name) }]));
}
