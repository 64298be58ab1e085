import type { Database } from "bun:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Committer } from "./committer.ts";
import { executeCompiled } from "./compiled-query.ts";
import { asFailure, toFailure, whenNotBusy } from "./errors.ts";

/**
 * Kysely over the connection of the serving thread. It reads at once, and passes every other statement to the committer
 * as a unit of its own. There are no transactions: one that stays open across an await would include the committer's
 * statements.
 */
export function committingDialect(database: Database, committer: Committer): Dialect {
  return sqliteDialect(new SqliteAdapter(), {
    execute: (query) =>
      query.query.kind === "SelectQueryNode"
        ? whenNotBusy(() => executeCompiled(database, query))
        : committer.runSingle((writers) => writers.execute(query)),
    control: noTransaction,
  });
}

export function readingDialect(database: Database): Dialect {
  return sqliteDialect(new SqliteAdapter(), {
    execute: async (query) => asFailure(() => executeCompiled(database, query)),
    control: noTransaction,
  });
}

function noTransaction(): never {
  throw new Error("There is no transaction on SQLite but the committer's: write a unit of work");
}

/**
 * For migrations alone, before anything else uses the connection. A statement that finds the file locked by another
 * process is tried again by a timer.
 */
export function migratingDialect(database: Database): Dialect {
  const execute = (query: CompiledQuery) => whenNotBusy(() => executeCompiled(database, query));
  return sqliteDialect(new MigratingAdapter(), { execute, control: (sql) => execute(CompiledQuery.raw(sql)) });
}

interface Execution {
  execute(query: CompiledQuery): Promise<QueryResult<unknown>>;
  /** Runs BEGIN IMMEDIATE, COMMIT or ROLLBACK. */
  control(sql: string): Promise<unknown>;
}

function sqliteDialect(adapter: DialectAdapter, { execute, control }: Execution): Dialect {
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
  const driver = Object.assign(new DummyDriver(), {
    acquireConnection: async () => connection,
    beginTransaction: async () => void (await control("BEGIN IMMEDIATE")),
    commitTransaction: async () => void (await control("COMMIT")),
    rollbackTransaction: async () => void (await control("ROLLBACK")),
  });
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** All migrations run in one BEGIN IMMEDIATE, so SQLite's write lock is the migration lock. */
class MigratingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
