import type { Kysely } from "kysely";
import type { RateLimiterAbstract } from "rate-limiter-flexible";
import type { Store } from "#core/store.ts";
import type { Atomically } from "./atomically.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";

/** An open database: the Store over it, and the query layer for the room that brings its own library (accounts). */
export interface Storage {
  readonly store: Store;
  readonly db: Kysely<Schema>;
  readonly engine: Engine;
  readonly atomically: Atomically;
  /** Resolves when the schema is up to date; until then the store refuses everything with "unavailable". */
  readonly ready: Promise<void>;
  /** Counts requests over all nodes; undefined where one process has the database to itself. */
  readonly rateLimiter: ((requestsPerSecond: number) => RateLimiterAbstract) | undefined;
}
