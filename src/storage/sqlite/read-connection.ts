import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { Select } from "../plant-row.ts";
import { asFailure } from "./errors.ts";

type Reading = "get" | "all" | "iterate" | "safeIntegers" | "finalize";

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

/** Runs a few statements, each of which is prepared once. */
export function selecting(database: ReadConnection): Select {
  const prepared = new Map<string, ReadStatement<unknown, SQLQueryBindings[]>>();
  return async <Row extends object>(sql: string, values: readonly SQLQueryBindings[]) =>
    asFailure(() => {
      const statement = prepared.get(sql) ?? database.prepare<unknown, SQLQueryBindings[]>(sql);
      prepared.set(sql, statement);
      return statement.all(...values) as Row[];
    });
}
