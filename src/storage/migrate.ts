import { type Kysely, type Migration, Migrator, sql } from "kysely";
import type { Engine } from "./engine.ts";
import * as plantsTokensAccounts from "./migrations/0001-plants-tokens-accounts.ts";
import * as signIn from "./migrations/0002-sign-in.ts";
import * as search from "./migrations/0003-search.ts";
import * as usage from "./migrations/0004-usage.ts";
import * as requestCounts from "./migrations/0005-request-counts.ts";
import * as leases from "./migrations/0006-leases.ts";
import * as proofsAndDevices from "./migrations/0007-proofs-and-devices.ts";
import * as events from "./migrations/0008-events.ts";
import * as webhooks from "./migrations/0009-webhooks.ts";
import * as audit from "./migrations/0010-audit.ts";
import * as mail from "./migrations/0011-mail.ts";
import * as requests from "./migrations/0012-requests.ts";
import * as plantSearch from "./migrations/0013-plant-search.ts";
import * as latencies from "./migrations/0014-latencies.ts";
import * as appendOnlyAndRecipients from "./migrations/0015-append-only-and-recipients.ts";
import * as webhookRestarts from "./migrations/0016-webhook-restarts.ts";
import * as auditLines from "./migrations/0017-audit-lines.ts";

const MIGRATIONS: Readonly<Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>>> = {
  "0001-plants-tokens-accounts": plantsTokensAccounts.up,
  "0002-sign-in": signIn.up,
  "0003-search": search.up,
  "0004-usage": usage.up,
  "0005-request-counts": requestCounts.up,
  "0006-leases": leases.up,
  "0007-proofs-and-devices": proofsAndDevices.up,
  "0008-events": events.up,
  "0009-webhooks": webhooks.up,
  "0010-audit": audit.up,
  "0011-mail": mail.up,
  "0012-requests": requests.up,
  "0013-plant-search": plantSearch.up,
  "0014-latencies": latencies.up,
  "0015-append-only-and-recipients": appendOnlyAndRecipients.up,
  "0016-webhook-restarts": webhookRestarts.up,
  "0017-audit-lines": auditLines.up,
};

/**
 * Brings the database to the newest schema in one transaction, under the engine's own lock: processes that start
 * together wait for the first. A migration only adds (expand, then contract), so that older nodes keep working.
 */
export async function migrate<Tables>(db: Kysely<Tables>, engine: Engine): Promise<void> {
  if (await isMigrated(db)) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => forEngine(engine) },
    migrationTableName: "migrations",
    migrationLockTableName: "migration_lock",
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/**
 * True if all known migrations have run. There may be newer ones: an older node may be started again while newer ones
 * run.
 */
async function isMigrated<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "migrations")) return false;
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations`.execute(db);
  const done = new Set(rows.map(({ name }) => name));
  return Object.keys(MIGRATIONS).every((name) => done.has(name));
}

function forEngine(engine: Engine): Record<string, Migration> {
  const entries = Object.entries(MIGRATIONS);
  return Object.fromEntries(entries.map(([name, up]) => [name, { up: (db) => up(db, engine) }]));
}
