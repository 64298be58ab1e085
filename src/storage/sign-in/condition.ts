import type { CompiledQuery } from "kysely";

/** A statement that must change a row, or the whole unit is undone. */
export interface Condition {
  readonly statement: CompiledQuery;
  refused(): Error;
}
