import { Kysely } from "kysely";
import type { Store } from "#core/store.ts";
import { Accounts } from "../accounts.ts";
import { inTransaction } from "../atomically.ts";
import { keptSecret } from "../kept-secrets.ts";
import { migrate } from "../migrate.ts";
import { RemovedAccounts } from "../removed-accounts.ts";
import type { Schema } from "../schema.ts";
import type { Storage } from "../storage.ts";
import { Usage } from "../usage.ts";
import { Committer } from "./committer.ts";
import { migratingDialect, pooledDialect } from "./dialect.ts";
import { reasonOf, toFailure } from "./errors.ts";
import { PostgresPlants } from "./plants.ts";
import { Pool } from "./pool.ts";
import { endPools, openPools, type Pools } from "./pools.ts";
import { sharedRateLimiter } from "./rate-limiter.ts";
import type { Notice } from "./session.ts";
import { PostgresTokens } from "./tokens.ts";

/** A database that a command cannot use just now, and why. */
class UnusableDatabase extends Error {}

/** A server waits this long before it listens, so that with a database at hand it never answers 503 at its start. */
const FIRST_ATTEMPT_MS_MAX = 1000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2000;

/**
 * Opens a PostgreSQL database. With `notice`, as a server does: at once, even while the database is out of reach; until
 * it is there and migrated everything is refused with "unavailable", and each new reason is told once. Without, as a
 * command does: it is there now, or this rejects.
 */
export async function openPostgres(url: string, notice?: Notice): Promise<Storage> {
  const told = onceEach(notice ?? (() => {}));
  const pools = openPools(url, told);
  const db = new Kysely<Schema>({ dialect: pooledDialect(pools.shared) });
  const stopping = new AbortController();
  const first = prepare(url, pools);
  const ready = notice
    ? untilReady(first, () => prepare(url, pools), told, stopping.signal)
    : first.catch(refuseUnusable);
  await (notice ? Promise.race([first.catch(() => {}), Bun.sleep(FIRST_ATTEMPT_MS_MAX)]) : ready);
  const store = postgresStore(pools, db, stopping);
  const rateLimiter = (requestsPerSecond: number) => sharedRateLimiter(pools.shared, requestsPerSecond);
  return { store, db, engine: "postgres", atomically: inTransaction(db), ready, rateLimiter };
}

export function refuseUnusable(error: unknown): never {
  throw new UnusableDatabase(`The database cannot be used: ${reasonOf(error)}`, { cause: error });
}

function postgresStore(pools: Pools, db: Kysely<Schema>, stopping: AbortController): Store {
  const committer = new Committer(pools.writing);
  const plants = new PostgresPlants(pools, committer);
  const usage = new Usage(db, inTransaction(db));
  const removedAccounts = new RemovedAccounts(db, [plants, usage]);
  return {
    plants,
    usage,
    tokens: new PostgresTokens(db),
    accounts: new Accounts(db, (account) => removedAccounts.empty(account)),
    keptSecret: (name, make) => keptSecret(db, name, make),
    writable: () => tryToWrite(pools.shared),
    async close() {
      stopping.abort();
      removedAccounts.close();
      await committer.close();
      await endPools(pools);
    },
  };
}

/** A message in the log and nothing else: waits for the disk and the synchronous standby, as a create does. */
async function tryToWrite(pool: Pool): Promise<void> {
  try {
    await pool.query("SELECT pg_logical_emit_message(true, 'plantstore', 'writable')");
  } catch (error) {
    throw toFailure(error);
  }
}

/** Brings the schema up to date, on a connection of its own that may take its time, and opens the pools. */
async function prepare(url: string, pools: Pools): Promise<void> {
  const pool = new Pool(url, { sizeMax: 1, queryMsMax: 0, onConnect: async () => {} });
  pool.open();
  try {
    await migrate(new Kysely<Schema>({ dialect: migratingDialect(pool) }), "postgres");
    for (const each of Object.values(pools)) each.open();
  } finally {
    await pool.end();
  }
}

async function untilReady(
  first: Promise<void>,
  again: () => Promise<void>,
  notice: Notice,
  stopping: AbortSignal,
): Promise<void> {
  let delayMs = RETRY_MS_MIN;
  for (let attempt = first; ; attempt = again()) {
    try {
      return await attempt;
    } catch (error) {
      notice(`The database cannot be used yet, and is tried again: ${reasonOf(error)}`);
    }
    await Bun.sleep(delayMs * (0.5 + Math.random()));
    if (stopping.aborted) return;
    delayMs = Math.min(delayMs * 2, RETRY_MS_MAX);
  }
}

/** Tells each message once in a row of the same. */
function onceEach(notice: Notice): Notice {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    notice(message);
  };
}
