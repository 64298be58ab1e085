import type { CompiledQuery } from "kysely";

/**
 * Runs statements in order as one unit: either all take effect, or none. `mustChange` is called after each statement
 * with its index and the number of rows it changed; if it throws, everything is rolled back and its error is thrown. A
 * unit that met another transaction may be run again from its first statement, and `mustChange` is called again then.
 * Each engine does this in its own way, since on SQLite a transaction that stays open across an await would include
 * other callers' statements.
 */
export type Atomically = (statements: readonly CompiledQuery[], mustChange?: ChangeCheck) => Promise<void>;

export type ChangeCheck = (index: number, rows: number) => void;

/** A statement that must change a row; otherwise the whole unit is rolled back. */
export interface Condition {
  readonly statement: CompiledQuery;
  refused(): Error;
}

/** The first statement must change a row, or the unit is rolled back with that error. */
export function firstChanges(refused: () => Error): ChangeCheck {
  return (index, rows) => {
    if (index === 0 && rows === 0) throw refused();
  };
}
