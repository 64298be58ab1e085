import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "#core/observer.ts";
import { EXPORTS_AT_ONCE, READINGS_AT_ONCE } from "#core/reads.ts";
import { ALL, DATABASE_CONNECTIONS } from "#load/limit-groups.ts";
import type { LimitRow } from "#load/limit-row.ts";
import { Pool, type PoolOptions, WAIT_MS_MAX } from "./pool.ts";

/** A request has given its statement up before the database ends it. */
const SHORT = { statementMs: 3000 };
/**
 * Each kind of work has its own, so that none keeps another waiting; by the names of the pools. The database ends a
 * statement that takes longer than `statementMs`.
 */
export const CONNECTIONS = {
  /** Three batches under way keep PostgreSQL's commits busy, and a batch grows while it waits. */
  writing: DATABASE_CONNECTIONS.row("creates, changes and removals, in batches", ALL, { all: 3, ...SHORT }),
  /** Every request needs the first of these. */
  accounts: DATABASE_CONNECTIONS.row("tokens, sessions, sign-in, usage", ALL, { all: 4, ...SHORT }),
  /** Accounts take turns. The search index is written for a minute at most. */
  shared: DATABASE_CONNECTIONS.row("reads of single plants, jobs", "account", {
    each: 2,
    all: 4,
    statementMs: 61_000,
  }),
  /** Few, since a search may keep a processor of the database busy that creates need too. */
  reading: DATABASE_CONNECTIONS.row("lists, searches, events, logs and usage", "account", {
    ...READINGS_AT_ONCE,
    ...SHORT,
  }),
  /** An export holds its connection for as long as its reader reads. */
  exporting: DATABASE_CONNECTIONS.row("exports, while their reader reads", "account", {
    ...EXPORTS_AT_ONCE,
    ...SHORT,
  }),
};

export type Waits = Pick<PoolOptions, "connectMsMax" | "queryMsMax" | "statementMs">;

/** A command may wait longer than a request, and does not try again: on a busy machine it takes seconds to connect. */
export const COMMAND_WAITS: Waits = { connectMsMax: 10_000, queryMsMax: 10_000, statementMs: undefined };

/** Each kind of work has its own connections, so that none keeps another waiting. */
export function openPools<Kind extends keyof typeof CONNECTIONS>(
  url: string,
  kinds: readonly Kind[],
  options: Omit<PoolOptions, "sizeMax">,
): Readonly<Record<Kind, Pool>> {
  const pools = kinds.map((kind) => {
    const { all: sizeMax, each: sizeMaxEach, statementMs }: LimitRow & { statementMs: number } = CONNECTIONS[kind];
    return [kind, new Pool(url, { sizeMax, sizeMaxEach, statementMs, ...options })] as const;
  });
  return Object.fromEntries(pools) as Record<Kind, Pool>;
}

export function reportConnections(pools: Readonly<Record<string, Pool>>, observer: Observer): void {
  for (const [name, pool] of Object.entries(pools)) {
    for (const state of ["idle", "busy"] as const) {
      const labels = { pool: name, state };
      observer.gauge("plantstore_pool_connections", () => pool.connections()[state], labels);
    }
    observer.gauge("plantstore_pool_waiting", () => pool.connections().waiting, { pool: name });
  }
}

/** Waits for running work as long as a request may. An export that is read slowly keeps its connection, and nobody waiting. */
export async function endPools(pools: Readonly<Record<string, Pool>>): Promise<void> {
  const ended = Promise.all(Object.values(pools).map((pool) => pool.end()));
  // The timer keeps nothing alive: a command ends with its connections.
  await Promise.race([ended, sleep(WAIT_MS_MAX, undefined, { ref: false })]);
}
