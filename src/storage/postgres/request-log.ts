import type { AccountNumber } from "#core/plant.ts";
import type {
  FoundRequest,
  LoggedRequest,
  RequestLogBounds,
  RequestLogQuery,
  RequestLogStore,
} from "#core/request-log.ts";
import { requestConditions } from "../request-log-query.ts";
import { toFailure } from "./errors.ts";
import type { Pool } from "./pool.ts";

const DAY_MS = 86_400_000;
const REMOVE_SLICE = `
DELETE FROM requests WHERE account = $1 AND number IN (
  SELECT number FROM requests WHERE account = $1 ORDER BY number LIMIT 2000
)`;
const PARTITION = /^requests_(\d{4})(\d\d)(\d\d)$/;

/** The request log in a table with one partition a day. Every node writes its own requests and reads those of all. */
export class PostgresRequestLog implements RequestLogStore {
  readonly #pool: Pool;
  readonly #days = new Set<number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async add(requests: readonly LoggedRequest[]): Promise<void> {
    await asFailure(async () => {
      const days = new Set(requests.map(({ at }) => at - (at % DAY_MS)));
      for (const day of days) await this.#prepare(day);
      try {
        await this.#pool.query(
          `INSERT INTO requests (account, request_id, at, status, error, token, path, plant, address, entry)
           SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::integer[], $5::integer[], $6::text[],
             $7::text[], $8::text[], $9::text[], $10::text[])`,
          columns(requests),
        );
      } catch (error) {
        // A partition may be missing because it could not be made, or because another node has dropped it.
        for (const day of days) this.#days.delete(day);
        throw error;
      }
    });
  }

  list(account: AccountNumber, query: RequestLogQuery): Promise<FoundRequest[]> {
    return asFailure(async () => {
      const { where, values } = requestConditions(account, query, (index) => `$${index}`);
      const { rows } = await this.#pool.query<{ number: string; entry: string }>(
        `SELECT number::text, entry FROM requests WHERE ${where} ORDER BY requests.number DESC LIMIT ${query.limit}`,
        [...values],
      );
      return rows.map(({ number, entry }) => ({ number: Number(number), request: JSON.parse(entry) }));
    });
  }

  oldest(account: AccountNumber): Promise<number | undefined> {
    return asFailure(async () => {
      const { rows } = await this.#pool.query<{ at: string }>(
        "SELECT at::text FROM requests WHERE account = $1 ORDER BY number LIMIT 1",
        [account],
      );
      return rows[0] && Number(rows[0].at);
    });
  }

  /** In slices, so that no statement takes longer than it may. */
  removeAll(account: AccountNumber): Promise<void> {
    return asFailure(async () => {
      while (((await this.#pool.query(REMOVE_SLICE, [account])).rowCount ?? 0) > 0);
    });
  }

  /** Drops the oldest day if its time is over, or if the log is too large and has another day. */
  forget({ from, bytesMax }: RequestLogBounds): Promise<boolean> {
    return asFailure(async () => {
      const { rows } = await this.#pool.query<{ name: string; bytes: string }>(
        `SELECT relid::regclass::text AS name, pg_total_relation_size(relid)::text AS bytes
         FROM pg_partition_tree('requests') WHERE isleaf ORDER BY name`,
      );
      const [oldest, next] = rows;
      if (!oldest) return false;
      const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
      const isTooLarge = bytes > bytesMax && next !== undefined;
      if (endOf(oldest.name) > from && !isTooLarge) return false;
      await this.#pool.query(`DROP TABLE IF EXISTS ${oldest.name}`);
      this.#days.delete(endOf(oldest.name) - DAY_MS);
      return true;
    });
  }

  async #prepare(day: number): Promise<void> {
    if (this.#days.has(day)) return;
    const name = `requests_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    // If two nodes make it at once, one fails, and finds the partition when it inserts.
    await this.#pool
      .query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF requests FOR VALUES FROM (${day}) TO (${day + DAY_MS})`)
      .catch(() => {});
    this.#days.add(day);
  }
}

function endOf(partition: string): number {
  const [, year, month, day] = PARTITION.exec(partition) ?? [];
  return year === undefined
    ? Number.POSITIVE_INFINITY
    : Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS;
}

/** PostgreSQL cannot store U+0000 in text. The entry itself is JSON, which escapes it. */
function stored(path: string): string {
  return path.replaceAll("\0", "\ufffd");
}

function columns(requests: readonly LoggedRequest[]): unknown[] {
  return [
    requests.map(({ account }) => account),
    requests.map(({ requestId }) => requestId),
    requests.map(({ at }) => at),
    requests.map(({ status }) => status),
    requests.map(({ error }) => error ?? null),
    requests.map(({ token }) => token?.id ?? null),
    requests.map(({ path }) => stored(path)),
    requests.map(({ plantId }) => plantId ?? null),
    requests.map(({ address }) => address ?? null),
    requests.map((request) => JSON.stringify(request)),
  ];
}

async function asFailure<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toFailure(error);
  }
}
