import type { AccountNumber } from "#core/plant.ts";
import type { ReadingPace } from "../reading-pace.ts";
import { Turns } from "../turns.ts";
import { type Lent, type Pool, WAIT_MS_MAX } from "./pool.ts";

/** Few, since a search may keep a processor of the database busy that creates need too. */
export const SEARCHES_AT_ONCE_MAX = 2;
const SEARCHES = {
  atOnceMax: SEARCHES_AT_ONCE_MAX,
  atOnceByAccountMax: 1,
  waitingByAccountMax: 128,
  waitingMax: 512,
};
/**
 * A statement that the driver gave up would otherwise go on in the database. The planner has no statistics of newly
 * created plants, so their account looks small to it: it would read and sort them all to find the first ones, and join
 * all of them with a few candidates. These settings make it read plants in the order of an index and join them one by
 * one.
 */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = ${WAIT_MS_MAX};
  SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off; SET LOCAL jit = off`;

/**
 * Called before the trigram index is used, for the rest of the transaction: that index has no order, and is only read
 * by bitmap scans.
 */
export async function allowBitmaps(client: Lent): Promise<void> {
  await client.query("SET LOCAL enable_bitmapscan = on");
}

/** Runs searches on connections of their own: few at once, accounts in turn, each in one snapshot and with a time limit. */
export class Searching {
  readonly #pool: Pool;
  readonly #turns: Turns;

  constructor(pool: Pool, pace?: ReadingPace) {
    this.#pool = pool;
    this.#turns = new Turns(SEARCHES, pace);
  }

  run<T>(account: AccountNumber, search: (client: Lent) => Promise<T>): Promise<T> {
    return this.#turns.run(account, async () => {
      const client = await this.#pool.connect();
      try {
        await client.query(BEGIN);
        return await search(client);
      } finally {
        await client.query("ROLLBACK").catch(() => undefined);
        client.release();
      }
    });
  }
}
