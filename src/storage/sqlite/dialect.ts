import type { Database, SQLQueryBindings } from "bun:sqlite";
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
import { toFailure } from "./errors.ts";
import { whenNotBusy } from "./when-not-busy.ts";

/**
 * Kysely over one open bun:sqlite connection. A statement that meets another process's lock is tried again from a
 * timer, never waited for inside SQLite: that would stop the thread that serves.
 */
export function bunSqliteDialect(database: Database): Dialect {
  return {
    createAdapter: () => new MigratingAdapter(),
    createDriver: () => new BunSqliteDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Migrations run in one BEGIN IMMEDIATE: SQLite's write lock is the migration lock. */
class MigratingAdapter extends SqliteAdapter implements DialectAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class BunSqliteDriver implements Driver {
  readonly #connection: BunSqliteConnection;
  constructor(database: Database) {
    this.#connection = new BunSqliteConnection(database);
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("BEGIN IMMEDIATE"));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("ROLLBACK"));
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class BunSqliteConnection implements DatabaseConnection {
  constructor(readonly database: Database) {}

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      return await whenNotBusy(() => this.#execute<Row>(query));
    } catch (error) {
      throw toFailure(error);
    }
  }

  #execute<Row>(query: CompiledQuery): QueryResult<Row> {
    const statement = this.database.query(query.sql);
    const parameters = bindings(query);
    if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error("A query cannot stream here: pages are read one by one");
  }
}

export function bindings(query: CompiledQuery): SQLQueryBindings[] {
  return query.parameters.map(toBinding);
}

function toBinding(value: unknown): SQLQueryBindings {
  if (value === undefined) return null;
  return value instanceof Date ? value.toISOString() : (value as SQLQueryBindings);
}
