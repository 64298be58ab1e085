import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Observer } from "#core/observer.ts";
import { CONNECTIONS } from "#load/limits.ts";
import { Pool, type PoolOptions, WAIT_MS_MAX } from "./pool.ts";
import { Reach } from "./reach.ts";
import { checkSession } from "./session.ts";

/** Each kind of work has its own connections, so that none keeps another waiting. */
export interface Pools {
  readonly writing: Pool;
  /** Look-ups of tokens, sessions, sign-in and usage. Every request needs the first of these. */
  readonly accounts: Pool;
  /** Reads and changes of single plants, and everything else. */
  readonly shared: Pool;
}

/** Those of the thread that reads. */
interface ReadingPools {
  /** Few, since a search may keep a processor of the database busy that creates need too. */
  readonly reading: Pool;
  /** An export holds its connection for as long as its reader reads. */
  readonly exporting: Pool;
}

export type Waits = Pick<PoolOptions, "connectMsMax" | "queryMsMax" | "statementMs">;

/** Nobody waits for a command as for a request, and it does not try again: a busy machine takes seconds to connect. */
export const COMMAND_WAITS: Waits = { connectMsMax: 10_000, queryMsMax: 10_000, statementMs: undefined };

export function openPools(url: string, observer: Observer, reach = new Reach(observer), waits: Waits = {}): Pools {
  const onConnect = (client: pg.ClientBase) => checkSession(client, (message) => observer.notice(message));
  const open = (kind: keyof Pools) =>
    new Pool(url, { ...boundsOf(kind), ...waits, onConnect, reach, opensLater: true });
  const pools: Pools = { writing: open("writing"), accounts: open("accounts"), shared: open("shared") };
  for (const [name, pool] of Object.entries(pools)) reportConnections(name, pool, observer);
  return pools;
}

/** For a process whose schema is up to date. */
export function openReadingPools(url: string, waits: Waits = {}): ReadingPools {
  const open = (kind: keyof ReadingPools) => new Pool(url, { ...boundsOf(kind), ...waits });
  return { reading: open("reading"), exporting: open("exporting") };
}

function boundsOf(kind: keyof typeof CONNECTIONS): Pick<PoolOptions, "sizeMax" | "statementMs"> {
  const { all, statementMs } = CONNECTIONS[kind];
  return { sizeMax: all, statementMs };
}

function reportConnections(name: string, pool: Pool, observer: Observer): void {
  const connections = (state: "idle" | "busy") =>
    observer.gauge({ name: "pool_connections", labels: { pool: name, state }, read: () => pool.connections()[state] });
  connections("idle");
  connections("busy");
  observer.gauge({ name: "pool_waiting", labels: { pool: name }, read: () => pool.connections().waiting });
}

/** Waits for running work as long as a request may. */
export async function endPools(pools: Pools): Promise<void> {
  const ended = Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
  // Nothing waits for the timer: a command ends once its connections have.
  await Promise.race([ended, sleep(WAIT_MS_MAX, undefined, { ref: false })]);
}
