import type { CompiledQuery } from "kysely";

/** A statement without which nothing of a unit is kept. */
export interface Condition {
  readonly statement: CompiledQuery;
  refused(): Error;
}
