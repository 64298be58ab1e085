import type { Atomically } from "./atomically.ts";
import type { Engine } from "./engine.ts";
import type { Queries } from "./queries.ts";

/** Access to the tables: single statements, and units of several statements. */
export interface DatabaseAccess {
  readonly engine: Engine;
  readonly db: Queries;
  readonly atomically: Atomically;
}
