import type pg from "pg";
import type { Observer } from "#core/observer.ts";
import { BATCHES_AT_ONCE_MAX } from "./committer.ts";
import { EXPORTS_AT_ONCE_MAX } from "./export-slots.ts";
import { Pool, WAIT_MS_MAX } from "./pool.ts";
import { SEARCHES_AT_ONCE_MAX } from "./searching.ts";
import { checkSession } from "./session.ts";

/** The most connections that one node opens (docs/scaling.md has the arithmetic). */
const ACCOUNTS_MAX = 4;
const SHARED_MAX = 6;

/** Each kind of work has connections of its own, so that none keeps another waiting. */
export interface Pools {
  /** Batches of creates. */
  readonly writing: Pool;
  /** Look-ups of tokens, sessions, sign-in and usage: every request needs the first. */
  readonly accounts: Pool;
  /** Short reads and changes of plants, and everything else. */
  readonly shared: Pool;
  readonly searching: Pool;
  /** An export holds its connection for as long as its reader reads. */
  readonly exporting: Pool;
}

export function openPools(url: string, observer: Observer): Pools {
  const onConnect = (client: pg.ClientBase) => checkSession(client, (message) => observer.notice(message));
  const pools: Pools = {
    writing: new Pool(url, { sizeMax: BATCHES_AT_ONCE_MAX, onConnect }),
    accounts: new Pool(url, { sizeMax: ACCOUNTS_MAX, onConnect }),
    shared: new Pool(url, { sizeMax: SHARED_MAX, onConnect }),
    searching: new Pool(url, { sizeMax: SEARCHES_AT_ONCE_MAX, onConnect }),
    exporting: new Pool(url, { sizeMax: EXPORTS_AT_ONCE_MAX, onConnect }),
  };
  for (const [name, pool] of Object.entries(pools)) reportConnections(name, pool, observer);
  return pools;
}

function reportConnections(name: string, pool: Pool, observer: Observer): void {
  const connections = (state: "idle" | "busy") =>
    observer.gauge({ name: "pool_connections", labels: { pool: name, state }, read: () => pool.connections()[state] });
  connections("idle");
  connections("busy");
  observer.gauge({ name: "pool_waiting", labels: { pool: name }, read: () => pool.connections().waiting });
}

/** Waits for what is under way as long as a request may, but not for an export that is read slowly. */
export async function endPools(pools: Pools): Promise<void> {
  const ended = Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
  await Promise.race([ended, Bun.sleep(WAIT_MS_MAX)]);
}
