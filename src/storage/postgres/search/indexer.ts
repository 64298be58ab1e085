import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import { int8Array, textArray } from "../binary-array.ts";
import type { Horizon } from "../horizon.ts";
import type { Lent, Pool } from "../pool.ts";
import { INDEXED_NAME_LENGTH_MAX, searchText } from "./search-text.ts";

/** An account with fewer plants is not indexed, since a search reads them all in one page. */
const SLICE_LENGTH = 4096;
const CHANGES_AT_ONCE_MAX = 1000;
const CHANGED_ACCOUNTS_MAX = 100;
const INTERVAL_MS = 1000;
const HORIZON_WAIT_MS_MAX = 2000;
/** Nobody waits for the index, and merging a long pending list takes time. */
const WRITE_MS_MAX = 60_000;
/**
 * An account is indexed this long after it was marked. By then every change that may have begun without seeing the mark
 * has ended.
 */
const MARK_SETTLED_MS = 5000;

/** Without statistics of newly created plants, the planner would read and sort all waiting plants for each slice. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ;
  SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off`;
const MANY_PLANTS = `
SELECT account, sum(count)::bigint AS plants FROM plant_counts GROUP BY account HAVING sum(count) >= $1`;
const MARK = `
INSERT INTO plant_search_marks (account) SELECT number FROM accounts WHERE number = $1 ON CONFLICT DO NOTHING`;
/** The row is locked, so that slices and changes of an account follow each other, whichever node holds the lease. */
const MARKED = `
SELECT number::text, since < clock_timestamp() - make_interval(secs => $2::double precision / 1000) AS settled
FROM plant_search_marks WHERE account = $1 FOR UPDATE`;
const COLUMNS = `
  number::text, id::text, CASE WHEN char_length(name) <= ${INDEXED_NAME_LENGTH_MAX} THEN name END AS name,
  hashtext(tag)::text AS tag_hash`;
const SLICE = `
SELECT ${COLUMNS} FROM plants WHERE account = $1 AND number > $2 AND number <= $3 ORDER BY plants.number LIMIT $4`;
const INSERT = `
INSERT INTO plant_search (account, number, id, text, tag_hash)
SELECT $1, number, id, text, tag_hash::integer
FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) AS given (number, id, text, tag_hash)
ON CONFLICT (account, number) DO UPDATE SET text = excluded.text, tag_hash = excluded.tag_hash`;
const MOVE_MARK = "UPDATE plant_search_marks SET number = $2 WHERE account = $1";
const CHANGED_ACCOUNTS = `SELECT DISTINCT account FROM plant_search_changes LIMIT ${CHANGED_ACCOUNTS_MAX}`;
const TAKE_CHANGES = `
DELETE FROM plant_search_changes WHERE account = $1 AND serial IN (
  SELECT serial FROM plant_search_changes WHERE account = $1 ORDER BY serial LIMIT ${CHANGES_AT_ONCE_MAX}
) RETURNING number::text, id::text`;
const CHANGED = `
SELECT ${COLUMNS.replace("number::text, id::text", "plants.number::text, plants.id::text")}
FROM unnest($2::bigint[], $3::bigint[]) AS given (number, id)
JOIN plants ON plants.account = $1 AND plants.id = given.id AND plants.number = given.number`;
const DROP = "DELETE FROM plant_search WHERE account = $1 AND number = ANY($2::bigint[])";
/** Merges the pending list that a slice left in the index, since each search would read it. */
const MERGE = "SELECT gin_clean_pending_list('plant_search_text')";

interface IndexedRow {
  readonly number: string;
  readonly id: string;
  /** Null if the name is too long to index. */
  readonly name: string | null;
  readonly tag_hash: string | null;
}

export interface IndexerOptions {
  readonly sliceLength?: number;
  readonly markSettledMs?: number;
}

/**
 * Fills the search index behind the creates, one slice of one account in a transaction, up to the horizon: no plant
 * with a lower number can still appear. It runs on the node that holds the lease.
 */
export class SearchIndexer {
  readonly #pool: Pool;
  readonly #horizon: Horizon;
  readonly #sliceLength: number;
  readonly #markSettledMs: number;
  /** The number of plants of each account at the time when less than a slice of them was not indexed. */
  readonly #upToDate = new Map<AccountNumber, number>();
  #isSetUp = false;

  constructor(
    pool: Pool,
    horizon: Horizon,
    { sliceLength = SLICE_LENGTH, markSettledMs = MARK_SETTLED_MS }: IndexerOptions = {},
  ) {
    this.#pool = pool;
    this.#horizon = horizon;
    this.#sliceLength = sliceLength;
    this.#markSettledMs = markSettledMs;
  }

  /** Called once the trigram index exists; without it nothing is indexed. */
  enable(): void {
    this.#isSetUp = true;
  }

  readonly job: Job = {
    name: "search-indexer",
    intervalMs: INTERVAL_MS,
    exclusive: true,
    run: ({ signal }) => this.#run(signal),
  };

  /** Resolves with 0 while there is more to do. */
  async #run(signal: AbortSignal): Promise<number | undefined> {
    if (!this.#isSetUp) return undefined;
    let more = false;
    for (const account of await this.#changedAccounts()) {
      if (signal.aborted) return undefined;
      more = (await this.#followChanges(account)) || more;
    }
    for (const [account, plants] of await this.#growingAccounts()) {
      if (signal.aborted) return undefined;
      if (await this.#indexSlice(account)) more = true;
      else this.#upToDate.set(account, plants);
    }
    return more ? 0 : undefined;
  }

  async #changedAccounts(): Promise<AccountNumber[]> {
    const { rows } = await this.#pool.query<{ account: number }>(CHANGED_ACCOUNTS);
    return rows.map(({ account }) => account);
  }

  async #growingAccounts(): Promise<Map<AccountNumber, number>> {
    const { rows } = await this.#pool.query<{ account: number; plants: number }>(MANY_PLANTS, [this.#sliceLength]);
    const growing = rows.filter(({ account, plants }) => this.#upToDate.get(account) !== plants);
    return new Map(growing.map(({ account, plants }) => [account, plants]));
  }

  /** Returns true if there may be more. The first call marks the account; it is indexed later. */
  async #indexSlice(account: AccountNumber): Promise<boolean> {
    await this.#pool.query(MARK, [account]);
    const horizon = await this.#horizon.refresh(HORIZON_WAIT_MS_MAX);
    const taken = await this.#transaction(account, async (client, mark) => {
      const values = [account, mark, horizon, this.#sliceLength];
      const { rows } = await client.query<IndexedRow>(SLICE, values);
      const last = rows.at(-1);
      if (!last || rows.length < this.#sliceLength) return false;
      await insert(client, account, rows);
      await client.query(MOVE_MARK, [account, last.number]);
      return true;
    });
    if (taken) await this.#pool.query({ text: MERGE, query_timeout: WRITE_MS_MAX });
    return taken !== false;
  }

  /** Plants beyond the mark are left to their slice, which reads them in their state at that time. */
  async #followChanges(account: AccountNumber): Promise<boolean> {
    const changes = await this.#transaction(account, async (client, mark) => {
      const { rows } = await client.query<{ number: string; id: string }>(TAKE_CHANGES, [account]);
      const indexed = rows.filter(({ number }) => BigInt(number) <= mark);
      const numbers = int8Array(indexed.map(({ number }) => BigInt(number)));
      await client.query(DROP, [account, numbers]);
      const ids = int8Array(indexed.map(({ id }) => BigInt(id)));
      const changed = await client.query<IndexedRow>(CHANGED, [account, numbers, ids]);
      await insert(client, account, changed.rows);
      return rows.length;
    });
    return changes === CHANGES_AT_ONCE_MAX;
  }

  /** Undefined if the account is not marked, or not for long enough. */
  async #transaction<T>(
    account: AccountNumber,
    work: (client: Lent, mark: bigint) => Promise<T>,
  ): Promise<T | undefined> {
    const client = await this.#pool.connect();
    try {
      await client.query(BEGIN);
      const { rows } = await client.query<{ number: string; settled: boolean }>(MARKED, [account, this.#markSettledMs]);
      const [mark] = rows;
      const result = mark?.settled ? await work(client, BigInt(mark.number)) : undefined;
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}

async function insert(client: Lent, account: AccountNumber, rows: readonly IndexedRow[]): Promise<void> {
  const distinct = [...new Map(rows.map((row) => [row.number, row])).values()];
  const values = [
    account,
    int8Array(distinct.map(({ number }) => BigInt(number))),
    int8Array(distinct.map(({ id }) => BigInt(id))),
    textArray(distinct.map(({ name }) => (name === null ? null : searchText(name)))),
    textArray(distinct.map(({ tag_hash }) => tag_hash)),
  ];
  await client.query({ text: INSERT, query_timeout: WRITE_MS_MAX }, values);
}
