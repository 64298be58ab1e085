import type { Dialect } from "kysely";
import type { RateLimiterAbstract } from "rate-limiter-flexible";
import type { Job } from "#core/job.ts";
import type { Store } from "#core/store.ts";
import type { Atomically } from "./atomically.ts";
import type { AuditLog } from "./audit.ts";
import type { Engine } from "./engine.ts";
import type { Queries } from "./queries.ts";

/** An open database: the Store over it, and what the rooms beside it need. */
export interface Storage {
  readonly store: Store;
  /** Work of the storage itself, for the runner of jobs. */
  readonly jobs: readonly Job[];
  readonly db: Queries;
  /** For a library that brings its own queries. On SQLite it refuses transactions. */
  readonly dialect: Dialect;
  readonly engine: Engine;
  /** Joins entries to units of statements. */
  readonly audit: AuditLog;
  readonly atomically: Atomically;
  /** Resolves when the schema is up to date; until then the store refuses everything with "unavailable". */
  readonly ready: Promise<void>;
  /** Counts requests over all nodes; undefined where one process has the database to itself. */
  readonly rateLimiter: ((requestsPerSecond: number) => RateLimiterAbstract) | undefined;
}
