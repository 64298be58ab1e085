import { DAY_MS } from "#core/duration.ts";
import { unavailable } from "#core/failure.ts";
import type { LoggedRequest, RequestLogRecords } from "#core/request-log.ts";
import { COLUMNS, columnsOf, partsOf } from "../request-log-query.ts";
import { asFailure, toFailure } from "./errors.ts";
import type { Pool } from "./pool.ts";

const TYPES = ["bigint", "text", "bigint", "integer", "integer", "text", "text", "text", "text", "text"];
const ARRAYS = TYPES.map((type, at) => `$${at + 1}::${type}[]`);
const INSERT = `INSERT INTO requests (${COLUMNS}) SELECT * FROM unnest(${ARRAYS})`;
const PARTITION = /^requests_(\d{4})(\d\d)(\d\d)$/;
/** Locks one partition at a time: pg_partition_tree() keeps its locks, and would be in a deadlock with a rewrite. */
const SIZE =
  "SELECT sum(pg_total_relation_size(inhrelid))::float8 AS bytes FROM pg_inherits WHERE inhparent = 'requests'::regclass";
const ADDED_AT_ONCE = 2000;
/** The share of its room that is added at once: several nodes may find room at the same moment. */
const ADDED_SHARE = 1 / 32;
/** The share of its room at which the log is rewritten, and the share that is kept; both copies fit for a moment. */
const FULL = 0.6;
const KEPT = 0.25;
/** An insert may wait for another node that rewrites the log. */
const INSERT_MS_MAX = 10_000;
/** The time before another attempt, when for example a dump of the database keeps its tables from being emptied. */
const REWRITE_AGAIN_MS = 60_000;

/** The request log in a table with one partition a day. Every node writes its own requests and reads those of all. */
export class PostgresRequestLog implements RequestLogRecords {
  readonly #days = new Set<number>();
  #rewriteAt = 0;

  constructor(private readonly pool: Pool) {}

  async add(requests: readonly LoggedRequest[], bytesMax = Number.MAX_SAFE_INTEGER): Promise<void> {
    try {
      for (const part of partsOf(requests, ADDED_AT_ONCE, bytesMax * ADDED_SHARE)) {
        await this.#evict(bytesMax);
        await this.#insert(part);
      }
    } catch (error) {
      // A partition may be missing because it could not be made, or because another node has dropped it.
      this.#days.clear();
      throw toFailure(error);
    }
  }

  /** Drops the oldest day if its time is over. */
  forget(from: number): Promise<boolean> {
    return asFailure(async () => {
      const { rows } = await this.pool.query<{ name: string }>(
        "SELECT relid::regclass::text AS name FROM pg_partition_tree('requests') WHERE isleaf ORDER BY name LIMIT 1",
      );
      const [oldest] = rows;
      if (!oldest || endOf(oldest.name) > from) return false;
      await this.pool.query(`DROP TABLE IF EXISTS ${oldest.name}`);
      this.#days.delete(endOf(oldest.name) - DAY_MS);
      return true;
    });
  }

  /** Throws if the log is as large as it may be. */
  async #evict(bytesMax: number): Promise<void> {
    const { rows } = await this.pool.query<{ bytes: number }>({ name: "size of the request log", text: SIZE });
    const bytes = rows[0]?.bytes ?? 0;
    if (bytes <= bytesMax * FULL) return;
    if (performance.now() >= this.#rewriteAt) {
      try {
        await this.pool.query({ text: rewrite(bytesMax), query_timeout: 60_000 });
        return;
      } catch (error) {
        this.#rewriteAt = performance.now() + REWRITE_AGAIN_MS;
        if (bytes >= bytesMax) throw error;
      }
    }
    if (bytes >= bytesMax) throw unavailable("The request log is as large as it may be");
  }

  async #insert(requests: readonly LoggedRequest[]): Promise<void> {
    const days = new Set(requests.map(({ at }) => at - (at % DAY_MS)));
    for (const day of days) await this.#prepare(day);
    await this.pool.query({ name: "log requests", text: INSERT, query_timeout: INSERT_MS_MAX }, arraysOf(requests));
  }

  async #prepare(day: number): Promise<void> {
    if (this.#days.has(day)) return;
    const name = `requests_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;
    // If two nodes make it at once, one fails, and finds the partition when it inserts.
    await this.pool
      .query(`CREATE TABLE IF NOT EXISTS ${name} PARTITION OF requests FOR VALUES FROM (${day}) TO (${day + DAY_MS})`)
      .catch(() => {});
    this.#days.add(day);
  }
}

/**
 * Rewrites the log so that it keeps the newest requests of each account, as many bytes of one account as of another. It
 * empties the table and fills it again, since only an emptied table gives its room back at once, whatever other transactions
 * still see. Other nodes wait, and then find that there is room.
 */
function rewrite(bytesMax: number): string {
  return `DO $$
    DECLARE size float8;
    BEGIN
      PERFORM set_config('lock_timeout', '1s', true);
      LOCK TABLE requests IN SHARE ROW EXCLUSIVE MODE;
      size := (${SIZE});
      IF size <= ${bytesMax * FULL} THEN RETURN; END IF;
      CREATE UNLOGGED TABLE requests_kept AS
        WITH sized AS (SELECT account, number, pg_column_size(requests.*) AS bytes FROM requests),
        deep AS (SELECT *, sum(bytes) OVER (PARTITION BY account ORDER BY number DESC) AS depth FROM sized),
        filled AS (SELECT *, sum(bytes) OVER (ORDER BY depth, number) AS total, sum(bytes) OVER () AS whole FROM deep),
        oldest AS (
          SELECT account, min(number) AS number FROM filled
          WHERE total <= whole * ${bytesMax * KEPT} / size GROUP BY account
        )
        SELECT requests.* FROM requests JOIN oldest USING (account) WHERE requests.number >= oldest.number;
      TRUNCATE requests;
      INSERT INTO requests SELECT * FROM requests_kept;
      DROP TABLE requests_kept;
    END $$`;
}

function endOf(partition: string): number {
  const [, year, month, day] = PARTITION.exec(partition) ?? [];
  return year === undefined
    ? Number.POSITIVE_INFINITY
    : Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS;
}

/** The values of each column of the requests. PostgreSQL cannot store U+0000 in text; JSON escapes it. */
function arraysOf(requests: readonly LoggedRequest[]): unknown[][] {
  const rows = requests.map(columnsOf);
  const stored = (value: unknown) => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);
  return TYPES.map((_, column) => rows.map((row) => stored(row[column])));
}
