import type pg from "pg";
import { BATCHES_AT_ONCE_MAX } from "./committer.ts";
import { Pool, WAIT_MS_MAX } from "./pool.ts";
import { checkSession, type Notice } from "./session.ts";

/** What one node asks of the database at most (docs/scaling.md has the arithmetic). */
const SHARED_MAX = 8;
const EXPORTS_AT_ONCE_MAX = 24;

export interface Pools {
  /** For batches of creates alone, so that no search or sign-in keeps them waiting. */
  readonly writing: Pool;
  readonly shared: Pool;
  /** An export holds its connection for as long as its reader reads. */
  readonly exporting: Pool;
}

export function openPools(url: string, notice: Notice): Pools {
  const onConnect = (client: pg.ClientBase) => checkSession(client, notice);
  return {
    writing: new Pool(url, { sizeMax: BATCHES_AT_ONCE_MAX, onConnect }),
    shared: new Pool(url, { sizeMax: SHARED_MAX, onConnect }),
    exporting: new Pool(url, { sizeMax: EXPORTS_AT_ONCE_MAX, onConnect }),
  };
}

/** Waits for what is under way as long as a request may, but not for an export that is read slowly. */
export async function endPools(pools: Pools): Promise<void> {
  const ended = Promise.all(Object.values(pools).map((pool: Pool) => pool.end()));
  await Promise.race([ended, Bun.sleep(WAIT_MS_MAX)]);
}
