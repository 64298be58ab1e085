import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import { isStorableText } from "#core/text.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";

/** Access to the tables: single statements, and units of several statements. */
export interface DatabaseAccess {
  readonly engine: Engine;
  readonly db: Queries;
  readonly atomically: Atomically;
}

/**
 * Builds single statements and runs them. It has no transactions: on SQLite one that stays open across an await would
 * include other callers' statements.
 */
export type Queries = Pick<Kysely<Schema>, "selectFrom" | "insertInto" | "updateTable" | "deleteFrom" | "getExecutor">;

export type Statement = Compilable | CompiledQuery;

/** A statement with what to do if it changes no row. An error that is thrown there rolls the whole unit back. */
export interface Condition {
  readonly statement: Statement;
  readonly unchanged: () => void;
}

export type Step = Statement | Condition;

/**
 * Runs statements in order as one unit, each engine in its own way: either all take effect, or none. A unit that met
 * another transaction may be run again from its first statement.
 */
export type Atomically = (steps: readonly Step[]) => Promise<void>;

/** A statement that must change a row; otherwise the whole unit is rolled back with that error. */
export function required(statement: Statement, refused: () => Error): Condition {
  const unchanged = () => {
    throw refused();
  };
  return { statement, unchanged };
}

/** The rows by which a unit was planned have changed before it was run. */
class ChangedMeanwhile extends Error {}

/** A statement that names what was read, and changes a row only if that is still so; otherwise the unit is planned anew. */
export function ifUnchanged(statement: Statement): Condition {
  return required(statement, changedMeanwhile);
}

export function changedMeanwhile(): Error {
  return new ChangedMeanwhile();
}

/** Reads, and runs the unit that it plans by what it read; again if that has changed before the unit was run (`ifUnchanged`). */
export async function retryIfChanged<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
}

/**
 * Changes nothing, but locks the store's row on PostgreSQL: other units that begin with it wait for the end of this one,
 * so that what they count is settled.
 */
export function lockingStore(db: Queries, account: AccountNumber) {
  return db.updateTable("stores").set({ name: sql<string>`name` }).where("number", "=", account);
}

/** The same for a person. */
export function lockingPerson(db: Queries, id: string) {
  return db.updateTable("people").set({ name: sql<string>`name` }).where("id", "=", id);
}

/**
 * A query by one value that is built once for each database: to build one takes longer than SQLite takes to answer it, and
 * every request of a page asks for its session and its store. It has a name (`named`).
 */
export function builtOnce<Row, Value extends string | Uint8Array = string>(
  name: string,
  build: (db: Queries, value: RawBuilder<Value>) => { compile(): CompiledQuery<Row> },
): (db: Queries, value: Value) => Promise<Row[]> {
  const built = new WeakMap<Queries, CompiledQuery<Row>>();
  return async (db, value) => {
    const query = built.get(db) ?? named(name, withoutValue(build(db, sql<Value>`${value}`).compile()));
    built.set(db, query);
    const parameters = query.parameters.map(() => value);
    return (await db.getExecutor().executeQuery<Row>({ ...query, parameters })).rows;
  };
}

const NAME = /^\/\* (.+?) \*\/ /;

/** Names a statement, which each PostgreSQL connection then plans once. It must list its columns: a plan's cannot change. */
export function named<Row>(name: string, query: CompiledQuery<Row>): CompiledQuery<Row> {
  return { ...query, sql: `/* ${name} */ ${query.sql}` };
}

/** Undefined for a statement that is built anew each time. */
export function nameOf(text: string): string | undefined {
  return NAME.exec(text)?.[1];
}

/**
 * SQLite prepares a statement of several tables anew for each value, since its plan might depend on it, which takes twice the
 * time of the answer; the plan of none does. An operator that changes nothing hides the value. PostgreSQL writes `$1`.
 */
function withoutValue<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  return { ...query, sql: query.sql.replaceAll("?", "+?") };
}

/** The maximum number of rows that are removed at a time: few enough for the serving thread. */
export const REMOVED_ROWS_MAX = 500;

/**
 * Removes some of the rows for which `where` holds, by the columns of a key of theirs. Resolves with true if there may be
 * more. It looks first, since a removal of nothing is a transaction too.
 */
export async function removeSome(
  { db, atomically }: DatabaseAccess,
  name: string,
  key: readonly string[],
  where: RawBuilder<unknown>,
): Promise<boolean> {
  const [table, columns] = [sql.table(name), sql.join(key.map((column) => sql.ref(column)))];
  const keys = sql<object>`(SELECT ${columns} FROM ${table} WHERE ${where} LIMIT ${sql.lit(REMOVED_ROWS_MAX)})`;
  const count = db.selectFrom(keys.as("keys")).select((row) => row.fn.countAll<number>().as("count"));
  const found = (await count.executeTakeFirst())?.count ?? 0;
  if (found > 0) await atomically([sql`DELETE FROM ${table} WHERE ${where} AND (${columns}) IN ${keys}`.compile(db)]);
  return found === REMOVED_ROWS_MAX;
}

/** The steps in the form in which the engines run them. */
export function compiledSteps(steps: readonly Step[]) {
  return steps.map((step) => {
    const { statement, unchanged } = "statement" in step ? step : { statement: step, unchanged: undefined };
    return { query: "compile" in statement ? statement.compile() : statement, unchanged };
  });
}

/**
 * Refuses text that PostgreSQL cannot store, on both engines and before anything is done. Callers check entered text
 * and say where the error is; this is the last check, so that no statement fails on one engine and alters text on the
 * other.
 */
export function requireStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (typeof parameter !== "string" || isStorableText(parameter)) continue;
    throw new Failure("member-invalid", "Text must hold neither U+0000 nor a lone surrogate");
  }
}
