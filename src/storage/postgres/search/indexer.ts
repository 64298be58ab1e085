import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Horizon } from "../horizon.ts";
import type { LentConnection, Pool } from "../pool.ts";
import { insertSlice, replaceRows, WRITE_MS_MAX } from "./index-rows.ts";
import { countSlice } from "./tag-counts.ts";

const CHANGES_AT_ONCE_MAX = 1000;

/** Forces an index scan: without statistics of new plants, the planner would sort all waiting plants for each slice. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off`;
const MANY_PLANTS = `
SELECT account, sum(count)::bigint AS plants FROM plant_counts GROUP BY account HAVING sum(count) >= $1`;
const MARK = `
INSERT INTO plant_search_marks (account) SELECT number FROM stores WHERE number = $1 ON CONFLICT DO NOTHING`;
/** The row is locked, so that slices and changes of an account follow each other, whichever node holds the lease. */
const MARKED = `
SELECT number::text, since < clock_timestamp() - make_interval(secs => $2::double precision / 1000) AS settled
FROM plant_search_marks WHERE account = $1 FOR UPDATE`;
/** An account that was marked while the clock was ahead would not be indexed for as long. */
const MARK_AGAIN = "UPDATE plant_search_marks SET since = clock_timestamp() WHERE since > clock_timestamp()";
const MOVE_MARK = "UPDATE plant_search_marks SET number = $2 WHERE account = $1";
/** Looks at one change of each account, since a DISTINCT would read them all. */
const CHANGED_ACCOUNTS = `
SELECT account FROM plant_search_marks AS marks WHERE (
  SELECT serial FROM plant_search_changes AS changes WHERE changes.account = marks.account ORDER BY serial LIMIT 1
) IS NOT NULL LIMIT 100`;
const TAKE_CHANGES = `
DELETE FROM plant_search_changes WHERE account = $1 AND serial IN (
  SELECT serial FROM plant_search_changes WHERE account = $1 ORDER BY serial LIMIT ${CHANGES_AT_ONCE_MAX}
) RETURNING number::text, id::text`;
/** Merges the pending list that a slice left in the index, since each search would read it. */
const MERGE = "SELECT gin_clean_pending_list('plant_search_text')";

const OPTIONS = {
  /** An account with fewer plants is not indexed, since a search reads them all in one page. */
  sliceLength: 4096,
  /**
   * An account is indexed this long after it was marked. By then every change that may have begun without seeing the mark
   * has ended.
   */
  markSettledMs: 5000,
  /** False while there is no trigram index; nothing is indexed then. */
  isSetUp: () => true,
  /** True puts the slices off until the next run. */
  mustWait: () => false,
};

/**
 * Fills the search index behind the creates, one slice of one account in a transaction, up to the horizon: no plant
 * with a lower number can still appear. It runs on the node that holds the lease. Changes never wait.
 */
export class SearchIndexer {
  readonly #options: Readonly<typeof OPTIONS>;
  /** The number of plants of each account at the time when less than a slice of them was not indexed. */
  readonly #upToDate = new Map<AccountNumber, number>();

  constructor(
    private readonly pool: Pool,
    private readonly horizon: Horizon,
    options: Partial<typeof OPTIONS> = {},
  ) {
    this.#options = { ...OPTIONS, ...options };
  }

  readonly job: Job = {
    name: "search-indexer",
    intervalMs: 1000,
    exclusive: true,
    run: ({ signal }) => this.#run(signal),
  };

  /** Resolves with 0 while there is more to do. */
  async #run(signal: AbortSignal): Promise<number | undefined> {
    if (!this.#options.isSetUp()) return undefined;
    await this.pool.query(MARK_AGAIN);
    const moreChanges = await this.#followAllChanges(signal);
    const morePlants = await this.#indexSlices(signal);
    return moreChanges || morePlants ? 0 : undefined;
  }

  async #followAllChanges(signal: AbortSignal): Promise<boolean> {
    const { rows } = await this.pool.query<{ account: number }>(CHANGED_ACCOUNTS);
    let more = false;
    for (const { account } of rows) {
      if (signal.aborted) return false;
      more = (await this.#followChanges(account)) || more;
    }
    return more;
  }

  async #indexSlices(signal: AbortSignal): Promise<boolean> {
    if (this.#options.mustWait()) return false;
    const { rows } = await this.pool.query<{ account: number; plants: number }>(MANY_PLANTS, [
      this.#options.sliceLength,
    ]);
    let more = false;
    for (const { account, plants } of rows) {
      if (signal.aborted) return false;
      if (this.#upToDate.get(account) === plants) continue;
      const taken = await this.#indexSlice(account);
      if (taken) more = true;
      if (taken === false) this.#upToDate.set(account, plants);
    }
    return more;
  }

  /** Returns false if less than a slice waits; undefined if the account was marked only just now, and is indexed later. */
  async #indexSlice(account: AccountNumber): Promise<boolean | undefined> {
    await this.pool.query(MARK, [account]);
    const horizon = await this.horizon.refresh(2000);
    const taken = await this.#transaction(account, async (client, mark) => {
      const last = await insertSlice(client, account, {
        after: mark,
        until: horizon,
        plants: this.#options.sliceLength,
      });
      if (last === undefined) return false;
      await countSlice(client, account, mark, last);
      await client.query(MOVE_MARK, [account, last]);
      return true;
    });
    if (taken) await this.pool.query({ text: MERGE, query_timeout: WRITE_MS_MAX });
    return taken;
  }

  /** Plants beyond the mark are left to their slice, which reads them in their state at that time. */
  async #followChanges(account: AccountNumber): Promise<boolean> {
    const changes = await this.#transaction(account, async (client, mark) => {
      const { rows } = await client.query<{ number: string; id: string }>(TAKE_CHANGES, [account]);
      await replaceRows(
        client,
        account,
        rows.filter(({ number }) => BigInt(number) <= mark),
      );
      return rows.length;
    });
    return changes === CHANGES_AT_ONCE_MAX;
  }

  /** Undefined if the account is not marked, or not for long enough. */
  #transaction<T>(
    account: AccountNumber,
    work: (client: LentConnection, mark: bigint) => Promise<T>,
  ): Promise<T | undefined> {
    return this.pool.transaction(BEGIN, async (client) => {
      const { rows } = await client.query<{ number: string; settled: boolean }>(MARKED, [
        account,
        this.#options.markSettledMs,
      ]);
      const [mark] = rows;
      return mark?.settled ? work(client, BigInt(mark.number)) : undefined;
    });
  }
}
