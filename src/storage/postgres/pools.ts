import type pg from "pg";
import type { Observer } from "#core/observer.ts";
import { BATCHES_AT_ONCE_MAX } from "./committer.ts";
import { Pool, WAIT_MS_MAX } from "./pool.ts";
import { checkSession } from "./session.ts";

/** The most connections that one node opens (docs/scaling.md has the arithmetic). */
const SHARED_MAX = 8;
const EXPORTS_AT_ONCE_MAX = 24;

export interface Pools {
  /** For batches of creates alone, so that no search or sign-in keeps them waiting. */
  readonly writing: Pool;
  readonly shared: Pool;
  /** An export holds its connection for as long as its reader reads. */
  readonly exporting: Pool;
}

export function openPools(url: string, observer: Observer): Pools {
  const onConnect = (client: pg.ClientBase) => checkSession(client, (message) => observer.notice(message));
  const pools: Pools = {
    writing: new Pool(url, { sizeMax: BATCHES_AT_ONCE_MAX, onConnect }),
    shared: new Pool(url, { sizeMax: SHARED_MAX, onConnect }),
    exporting: new Pool(url, { sizeMax: EXPORTS_AT_ONCE_MAX, onConnect }),
  };
  for (const [name, pool] of Object.entries(pools)) reportConnections(name, pool, observer);
  return pools;
}

function reportConnections(name: string, pool: Pool, observer: Observer): void {
  observer.gauge({
    name: "pool_connections",
    labels: { pool: name, state: "idle" },
    read: () => pool.connections().idle,
  });
  observer.gauge({
    name: "pool_connections",
    labels: { pool: name, state: "busy" },
    read: () => pool.connections().busy,
  });
  observer.gauge({ name: "pool_waiting", labels: { pool: name }, read: () => pool.connections().waiting });
}

/** Waits for what is under way as long as a request may, but not for an export that is read slowly. */
export async function endPools(pools: Pools): Promise<void> {
  const ended = Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
  await Promise.race([ended, Bun.sleep(WAIT_MS_MAX)]);
}
