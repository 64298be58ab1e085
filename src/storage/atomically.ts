import type { Compilable, CompiledQuery } from "kysely";

export type Statement = Compilable | CompiledQuery;

/** A statement with what to do if it changes no row. An error that is thrown there rolls the whole unit back. */
export interface Condition {
  readonly statement: Statement;
  readonly unchanged: () => void;
}

export type Step = Statement | Condition;

/**
 * Runs statements in order as one unit: either all take effect, or none. A unit that met another transaction may be run
 * again from its first statement. Each engine does this in its own way, since on SQLite a transaction that stays open
 * across an await would include other callers' statements.
 */
export type Atomically = (steps: readonly Step[]) => Promise<void>;

/** A statement that must change a row; otherwise the whole unit is rolled back with that error. */
export function required(statement: Statement, refused: () => Error): Condition {
  const unchanged = () => {
    throw refused();
  };
  return { statement, unchanged };
}

/** The steps in the form in which the engines run them. */
export function compiledSteps(steps: readonly Step[]) {
  return steps.map((step) => {
    const { statement, unchanged } = "statement" in step ? step : { statement: step, unchanged: undefined };
    return { query: "compile" in statement ? statement.compile() : statement, unchanged };
  });
}
