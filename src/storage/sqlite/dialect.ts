import type { Database } from "bun:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Committer } from "./committer.ts";
import { executeCompiled } from "./compiled-query.ts";
import { LOCK_RETRIES, toFailure, whenNotBusy } from "./errors.ts";

type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/**
 * Kysely over the connection of the serving thread. It reads at once, and passes every other statement to the committer
 * as a unit of its own. A transaction is refused, as it begins within the committer's: one that stays open across an await
 * would include the committer's statements.
 */
export function committingDialect(database: Database, committer: Committer): Dialect {
  return sqliteDialect((query) =>
    query.query.kind === "SelectQueryNode"
      ? whenNotBusy(() => executeCompiled(database, query))
      : committer.execute(query),
  );
}

export function readingDialect(database: Database): Dialect {
  return sqliteDialect(async (query) => executeCompiled(database, query));
}

/** Another process may be migrating a large file, for as long as on PostgreSQL. */
const MIGRATION_RETRIES = { ...LOCK_RETRIES, msMax: 60_000 };

/**
 * The dialect for migrations, before anything else uses the connection. A statement that finds the file locked by another
 * process is retried from a timer.
 */
export function migratingDialect(database: Database): Dialect {
  return sqliteDialect((query) => whenNotBusy(() => executeCompiled(database, query), MIGRATION_RETRIES));
}

function sqliteDialect(execute: Execute): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery) {
      try {
        return (await execute(query)) as QueryResult<Row>;
      } catch (error) {
        throw toFailure(error);
      }
    },
    streamQuery() {
      throw new Error("A query cannot stream here: pages are read one by one");
    },
  };
  const run = async (sql: string) => void (await connection.executeQuery(CompiledQuery.raw(sql)));
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => connection,
    beginTransaction: () => run("BEGIN IMMEDIATE"),
    commitTransaction: () => run("COMMIT"),
    rollbackTransaction: () => run("ROLLBACK"),
  });
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
