import type { Database } from "bun:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { executeCompiled } from "./compiled-query.ts";
import { asFailure, toFailure } from "./errors.ts";
import { whenNotBusy } from "./when-not-busy.ts";
import type { SqliteCommitter } from "./writers.ts";

/**
 * Kysely over the connection of the serving thread. It reads at once, and passes every other statement to the committer
 * as a unit of its own. There are no transactions: one that stays open across an await would include the committer's
 * statements.
 */
export function committingDialect(database: Database, committer: SqliteCommitter): Dialect {
  return sqliteDialect(new SqliteAdapter(), {
    execute: (query) =>
      query.query.kind === "SelectQueryNode"
        ? whenNotBusy(() => executeCompiled(database, query))
        : committer.runSingle((writers) => writers.execute(query)),
    control: noTransaction,
  });
}

/** Kysely over a connection that only reads. */
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

function sqliteDialect(adapter: DialectAdapter, execution: Execution): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => new BunSqliteDriver(execution),
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

class BunSqliteDriver implements Driver {
  readonly #execution: Execution;
  readonly #connection: BunSqliteConnection;
  constructor(execution: Execution) {
    this.#execution = execution;
    this.#connection = new BunSqliteConnection(execution);
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    await this.#execution.control("BEGIN IMMEDIATE");
  }
  async commitTransaction(): Promise<void> {
    await this.#execution.control("COMMIT");
  }
  async rollbackTransaction(): Promise<void> {
    await this.#execution.control("ROLLBACK");
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #execution: Execution;
  constructor(execution: Execution) {
    this.#execution = execution;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      return (await this.#execution.execute(query)) as QueryResult<Row>;
    } catch (error) {
      throw toFailure(error);
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error("A query cannot stream here: pages are read one by one");
  }
}
