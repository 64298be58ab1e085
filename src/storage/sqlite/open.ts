import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import { MissingDatabase, storageUnavailable } from "#core/failure.ts";
import { MemoryCounts } from "#load/throttle.ts";
import type { Queries } from "../database-access.ts";
import { Events } from "../events.ts";
import { type FeedHorizon, FeedWatch } from "../feed-watch.ts";
import { migrate, requireMigrated } from "../migrate.ts";
import { Readiness, ROOM_BYTES } from "../readiness.ts";
import { rowsOfTables } from "../removed-accounts.ts";
import type { Schema } from "../schema.ts";
import { type Storage, type StorageOptions, storageOf } from "../storage.ts";
import { Checkpointer } from "./checkpointer.ts";
import { Committer } from "./committer.ts";
import { openForWriting, reportFile } from "./connection.ts";
import { committingDialect, migratingDialect } from "./dialect.ts";
import { asFailure, isDiskError } from "./errors.ts";
import { Indexer } from "./indexer.ts";
import { LogHold } from "./log-hold.ts";
import { sqlitePlants } from "./plants.ts";
import { exact, type ReadConnection } from "./read-connection.ts";
import { openSqliteReads } from "./reads.ts";
import { SqliteRequestLog } from "./request-log.ts";

/**
 * Opens an SQLite file. One connection of this thread writes everything, and never waits inside SQLite for a lock. Only
 * the committer, its writers and the checkpointer receive the connection itself.
 */
export async function openSqlite(path: string, options: StorageOptions): Promise<Storage> {
  const { observer, keepsEvents, migrates } = options;
  if (!migrates && !existsSync(path)) throw new MissingDatabase("There is no database");
  const database = openForWriting(path);
  const tables = new Kysely({ dialect: migratingDialect(database) });
  await (migrates
    ? migrate(tables, "sqlite")
    : requireMigrated(tables).catch((error) => {
        database.close();
        throw error;
      }));
  observer.storageWritable(true);
  reportFile(path, observer);
  const checkpointer = new Checkpointer(database, path, observer);
  const onCommit = () => {
    checkpointer.committed();
    indexer.committed();
    feed.committed();
  };
  const readiness = new Readiness(observer, {
    write: () => committer.run((writer) => writer.touch()),
    room: () => requireRoom(dirname(path)),
    isFull: isDiskError,
  });
  const committer: Committer = new Committer(database, observer, onCommit, keepsEvents, readiness.refused);
  const indexer = new Indexer(database, path, committer, observer);
  const db: Queries = new Kysely<Schema>({ dialect: committingDialect(database, committer) });
  const access = { db, atomically: committer.atomically, engine: "sqlite" } as const;
  const horizon = horizonOf(database);
  const feed = new FeedWatch(horizon, observer, 0);
  const requests = new SqliteRequestLog(path, observer);
  const plants = sqlitePlants(database, committer, keepsEvents);
  const logHold = new LogHold(() => checkpointer.logBytes());
  return storageOf(access, options, {
    plants,
    events: new Events(access, horizon, feed),
    requests,
    rows: [plants, rowsOfTables(access), requests],
    noneUnderWay: async () => true,
    openReads: () => openSqliteReads(path),
    faults: () => [],
    writable: readiness.try,
    watchSnapshot: (end) => logHold.watch(end),
    stop() {
      feed.close();
      logHold.close();
    },
    async close() {
      requests.close();
      await committer.close();
      checkpointer.close();
      database.close();
    },
    jobs: [indexer.job, checkpointer.job],
    ready: Promise.resolve(),
    reach: undefined,
    requestCounts: new MemoryCounts(),
  });
}

async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < ROOM_BYTES) throw storageUnavailable(new Error("The disk of the database has no room"));
}

/** Only one connection writes at a time, so everything up to the last number that was given out is settled. */
function horizonOf(database: ReadConnection): FeedHorizon {
  const head = exact<{ number: bigint }, []>(
    database,
    "SELECT value AS number FROM counters WHERE name = 'plant_number'",
  );
  return {
    settled: undefined,
    get settledAt() {
      return performance.now();
    },
    refresh: async () => asFailure(() => head.get()?.number ?? 0n),
  };
}
