import type { AccountNumber } from "#core/plant.ts";
import { FairQueue, searchLimits } from "../fair-queue.ts";
import type { ReadingPace } from "../reading-pace.ts";
import { readInOrder } from "./ordered-reading.ts";
import type { LentConnection, Pool } from "./pool.ts";

/** Few, since a search may keep a processor of the database busy that creates need too. */
export const SEARCHES_AT_ONCE_MAX = 2;

/**
 * Called before the trigram index is used, for the rest of the transaction: that index has no order, and is only read
 * by bitmap scans.
 */
export async function allowBitmaps(client: LentConnection): Promise<void> {
  await client.query("SET LOCAL enable_bitmapscan = on");
}

/** Runs searches on connections of their own: few at once, accounts in turn, each in one snapshot and with a time limit. */
export class Searching {
  readonly #pool: Pool;
  readonly #queue: FairQueue;

  constructor(pool: Pool, pace?: ReadingPace) {
    this.#pool = pool;
    this.#queue = new FairQueue(searchLimits(SEARCHES_AT_ONCE_MAX), pace);
  }

  run<T>(account: AccountNumber, search: (client: LentConnection) => Promise<T>): Promise<T> {
    return this.#queue.run(account, () => readInOrder(this.#pool, search));
  }
}
