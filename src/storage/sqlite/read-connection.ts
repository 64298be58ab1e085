import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

type Reading = "get" | "all" | "iterate" | "safeIntegers";

export type ReadStatement<Row, Parameters extends SQLQueryBindings[]> = Pick<Statement<Row, Parameters>, Reading>;

declare const database: Database;
type Prepared<Row, Parameters extends SQLQueryBindings | SQLQueryBindings[]> = ReturnType<
  typeof database.prepare<Row, Parameters>
>;

/**
 * The connection of the serving thread as seen by everything but the writers: it cannot run a statement that writes, or
 * begin a transaction. Writes are units of work of the committer.
 */
export interface ReadConnection {
  prepare<Row, Parameters extends SQLQueryBindings | SQLQueryBindings[]>(
    sql: string,
  ): Pick<Prepared<Row, Parameters>, Reading>;
}

/** A statement whose integers are exact: each is a bigint. */
export function exact<Row, Parameters extends SQLQueryBindings[]>(
  database: ReadConnection,
  sql: string,
): Pick<Prepared<Row, Parameters>, Reading> {
  const statement = database.prepare<Row, Parameters>(sql);
  statement.safeIntegers(true);
  return statement;
}
