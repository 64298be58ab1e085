import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import pg from "pg";
import { Failure, storageUnavailable, UnusableDatabase } from "#core/failure.ts";
import { jittered } from "#core/jitter.ts";
import { CreateBurst } from "../create-burst.ts";
import type { DatabaseAccess } from "../database-access.ts";
import { Events } from "../events.ts";
import { FeedWatch } from "../feed-watch.ts";
import { NodeMark } from "../node-mark.ts";
import { Readiness, ROOM_BYTES } from "../readiness.ts";
import { rowsOfTables } from "../removed-accounts.ts";
import type { Schema } from "../schema.ts";
import { type Storage, type StorageOptions, storageOf } from "../storage.ts";
import { Committer } from "./committer.ts";
import { migrateBesideOthers, pooledDialect } from "./dialect.ts";
import { asFailure, isDiskError, isForbidden, reasonOf } from "./errors.ts";
import { Horizon } from "./horizon.ts";
import { inTransaction } from "./in-transaction.ts";
import { postgresPlants } from "./plants.ts";
import { Pool, verifying } from "./pool.ts";
import { COMMAND_WAITS, endPools, openPools, reportConnections } from "./pools.ts";
import { Reach } from "./reach.ts";
import { openPostgresReads } from "./reads.ts";
import { RequestCounts } from "./request-counts.ts";
import { PostgresRequestLog } from "./request-log.ts";
import { SEARCH_INDEX_MISSING, setUpSearchIndex } from "./search/index-setup.ts";
import { SearchIndexer } from "./search/indexer.ts";
import { checkSession } from "./session.ts";

/**
 * A server waits this long before it listens, so that it does not answer 503 at its start if the database can be
 * reached.
 */
const FIRST_ATTEMPT_MS_MAX = 1000;

/** Opens a PostgreSQL database. `startsWithoutDatabase` allows it to be out of reach. */
export async function openPostgres(url: string, options: StorageOptions): Promise<Storage> {
  const { observer, startsWithoutDatabase, keepsEvents, onUnusable } = options;
  // Throws for an address that cannot be read, or a certificate that is not there, which would be tried for ever.
  if (startsWithoutDatabase) new pg.Client(verifying(url));
  const reach = new Reach(observer);
  const waits = startsWithoutDatabase ? undefined : COMMAND_WAITS;
  const onConnect = (client: pg.ClientBase) => checkSession(client, observer);
  const pools = openPools(url, ["writing", "accounts", "shared"], { ...waits, onConnect, reach, opensLater: true });
  reportConnections(pools, observer);
  const stopping = new AbortController();
  const horizon = new Horizon(pools.shared);
  const burst = new CreateBurst(() => committer.rowsQueued);
  const mark = new NodeMark();
  /** Undefined until the database was reached. */
  let hasSearchIndex: boolean | undefined;
  const isSetUp = () => hasSearchIndex === true;
  const indexer = new SearchIndexer(pools.shared, horizon, { isSetUp, mustWait: () => burst.mustWait() });
  /** Brings the schema up to date, on a connection without the usual time limits, and opens the pools. */
  const prepared = async () => {
    const pool = new Pool(url, { sizeMax: 1, ...waits, queryMsMax: 0, onConnect });
    try {
      await migrateBesideOthers(pool, options);
      hasSearchIndex = await setUpSearchIndex(pool, observer);
      if (startsWithoutDatabase) await mark.set(accessOver(pool));
      for (const each of Object.values(pools)) each.open();
    } finally {
      await pool.end();
    }
    observer.storageWritable(true);
  };
  const first = prepared();
  const retried = () => untilReady(first, prepared, reach, stopping.signal);
  const ready = startsWithoutDatabase ? retried() : first.catch(refuseUnusable);
  ready.catch(() => {});
  await (startsWithoutDatabase
    ? Promise.race([first.catch(throwUnusable), sleep(FIRST_ATTEMPT_MS_MAX, undefined, { ref: false })])
    : ready);
  ready.catch(onUnusable);
  const shared = accessOver(pools.shared);
  // Each look for committed events takes several statements.
  const feed = new FeedWatch(horizon, observer, 40);
  const onCommit = () => feed.committed();
  const readiness = new Readiness(observer, {
    write: () => Promise.all([pools.writing, pools.shared].map(tryToWrite)),
    room: () => requireRoom(pools.shared),
    isFull: isDiskError,
  });
  const committer = new Committer(pools.writing, observer, onCommit, waits?.queryMsMax, readiness.refused, keepsEvents);
  const plants = postgresPlants(pools.shared, committer, { keepsEvents, onCommit });
  return storageOf(accessOver(pools.accounts), options, {
    plants,
    events: new Events(shared, horizon, feed, pools.shared.inTurn),
    requests: new PostgresRequestLog(pools.shared),
    rows: [plants, rowsOfTables(shared)],
    noneUnderWay: (since) => noneUnderWay(pools.shared, since),
    openReads: () => openPostgresReads(url, reach, waits),
    faults: () => (hasSearchIndex === false ? [SEARCH_INDEX_MISSING] : []),
    writable: readiness.try,
    // A long snapshot only makes the database remove old rows later, so none has to be ended.
    watchSnapshot: () => () => {},
    stop() {
      stopping.abort();
      feed.close();
    },
    async close() {
      await committer.close();
      await endPools(pools);
    },
    ready,
    reach,
    jobs: [indexer.job, mark.job(accessOver(pools.accounts))],
    requestCounts: new RequestCounts(pools.accounts),
  });
}

function accessOver(pool: Pool): DatabaseAccess {
  const db = new Kysely<Schema>({ dialect: pooledDialect(pool) });
  return { db, atomically: inTransaction(db), engine: "postgres" };
}

/** A message to the write-ahead log waits for the disk and the synchronous standby as a create does, and is no write to the database. */
async function tryToWrite(pool: Pool): Promise<void> {
  const [state] = await pool.rows<{ readOnly: string }>(
    `SELECT current_setting('transaction_read_only') AS "readOnly", pg_logical_emit_message(true, 'plantstore', 'writable')`,
  );
  if (state?.readOnly !== "off")
    throw storageUnavailable(new Error("The database takes no writes (default_transaction_read_only)"));
}

/** Ends a command that cannot use the database, with the reason. */
export function refuseUnusable(error: unknown): never {
  throwUnusable(error);
  throw new Error(`The database cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** The pool has made a Failure of the error of a new connection. */
function throwUnusable(error: unknown): void {
  if (error instanceof UnusableDatabase) throw error;
  if (error instanceof Failure) throwUnusable(error.cause);
}

/** True if every other transaction of this role that began before that time has ended. */
async function noneUnderWay(pool: Pool, since: number): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < to_timestamp($1::double precision / 1000) LIMIT 1`,
    [since],
  );
  return rows.length === 0;
}

/** Fills a temporary table, to see whether there is room. A role that may not make one is taken to have room. */
async function requireRoom(pool: Pool): Promise<void> {
  const rows = ROOM_BYTES / 64;
  const table = `CREATE TEMP TABLE room ON COMMIT DROP AS SELECT md5(n::text) FROM generate_series(1, ${rows}) AS n`;
  await asFailure(async () => {
    try {
      await pool.query(table);
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
  });
}

async function untilReady(
  first: Promise<void>,
  again: () => Promise<void>,
  reach: Reach,
  stopping: AbortSignal,
): Promise<void> {
  let delayMs = 100;
  for (let attempt = first; ; attempt = again()) {
    try {
      await attempt;
      return reach.succeeded();
    } catch (error) {
      throwUnusable(error);
      reach.failed(error, true);
    }
    await sleep(jittered(delayMs, Math.random()), undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    delayMs = Math.min(delayMs * 2, 2000);
  }
}
