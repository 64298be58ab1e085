import type { CompiledQuery } from "kysely";

/** A statement that must change a row; otherwise the whole unit is rolled back. */
export interface Condition {
  readonly statement: CompiledQuery;
  refused(): Error;
}
