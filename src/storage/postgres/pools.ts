import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "#core/observer.ts";
import type { LimitRow } from "#load/limit-row.ts";
import { CONNECTIONS } from "#load/limits.ts";
import { Pool, type PoolOptions, WAIT_MS_MAX } from "./pool.ts";

export type Waits = Pick<PoolOptions, "connectMsMax" | "queryMsMax" | "statementMs">;

/** Nobody waits for a command as for a request, and it does not try again: a busy machine takes seconds to connect. */
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
  // Nothing waits for the timer: a command ends once its connections have.
  await Promise.race([ended, sleep(WAIT_MS_MAX, undefined, { ref: false })]);
}
