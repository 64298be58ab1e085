import { type EventPage, type EventQuery, eventsExpired, type PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import {
  DERIVED,
  type EventRow,
  eventFromRow,
  kindMask,
  PAGE_TEXT_BYTES_MAX,
  SCAN_STEP_ROWS,
  SCANNED_ROWS_MAX,
  textBytes,
  WRITTEN,
} from "../event-row.ts";
import { toFailure } from "./errors.ts";
import type { Pool } from "./pool.ts";

const GIVEN = "number::text, kind, at, plant_id::text, name, tag, old_name, old_tag, created_at, updated_at";
const IN_RANGE = "account = $1 AND number > $2 AND number <= $3";

/**
 * $1 account, $2 after, $3 horizon, $4 kinds, $5 limit, $6 bytes of text, $7 rows to scan. `expired` and `until` are in
 * every row, including the only row of a page without events. It is one statement, so plants and stored events come
 * from one snapshot.
 */
const PAGE = `
WITH step AS MATERIALIZED (
  SELECT least(
    (SELECT number FROM plants WHERE ${IN_RANGE} ORDER BY number OFFSET $7 LIMIT 1),
    (SELECT number FROM plant_events WHERE ${IN_RANGE} ORDER BY number OFFSET $7 LIMIT 1),
    $3::bigint) AS until
), both_parts AS MATERIALIZED (
  (SELECT ${DERIVED} FROM plants
    WHERE account = $1 AND number > $2 AND number <= (SELECT until FROM step) AND revision = 1 AND $4::int & 1 = 1
    ORDER BY number LIMIT $5)
  UNION ALL
  (SELECT ${WRITTEN} FROM plant_events
    WHERE account = $1 AND number > $2 AND number <= (SELECT until FROM step) AND ($4::int >> kind) & 1 = 1
    ORDER BY number LIMIT $5)
), sized AS MATERIALIZED (
  SELECT *, number AS place, sum(size) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) - size < $6 AS fits FROM (
    SELECT *, octet_length(name) + coalesce(octet_length(tag), 0)
      + coalesce(octet_length(old_name), 0) + coalesce(octet_length(old_tag), 0) AS size
    FROM both_parts ORDER BY number LIMIT $5
  ) AS page
)
SELECT until::text, (SELECT number::text FROM number_marks WHERE at = 0) AS expired,
  (SELECT count(*) FROM sized) AS found, ${GIVEN}
FROM step LEFT JOIN sized ON fits ORDER BY place`;

const ONE = `
SELECT ${GIVEN} FROM (
  SELECT ${WRITTEN} FROM plant_events WHERE account = $1 AND number = $2
  UNION ALL SELECT ${DERIVED} FROM plants WHERE account = $1 AND number = $2 AND revision = 1
) AS event WHERE number > (SELECT number FROM number_marks WHERE at = 0)`;

const BACK = "WHERE account = $1 AND number <= $2 ORDER BY number DESC OFFSET $3 LIMIT 1";
const STEP_BACK = `
SELECT greatest(
  (SELECT number FROM plants ${BACK}),
  (SELECT number FROM plant_events ${BACK}),
  (SELECT number FROM number_marks WHERE at = 0))::text AS number`;

const TOUCHED = `
SELECT account FROM unnest($1::bigint[]) AS given (account) WHERE
EXISTS (SELECT FROM plants WHERE plants.account = given.account AND number > $2 AND number <= $3)
OR EXISTS (SELECT FROM plant_events WHERE plant_events.account = given.account AND number > $2 AND number <= $3)`;

interface PageRow extends Omit<EventRow, "number"> {
  /** Null in the only row of a page without events. */
  readonly number: string | null;
  readonly until: string;
  readonly expired: string | null;
  /** The number of events found for the page, including those that do not fit. */
  readonly found: number;
}

/** Reads the feed of a PostgreSQL database. */
export class PostgresEventReader {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(account: AccountNumber, query: EventQuery): Promise<EventPage> {
    const events: PlantEvent[] = [];
    let textLeft = PAGE_TEXT_BYTES_MAX;
    let next = query.after;
    for (let scanned = 0; scanned < SCANNED_ROWS_MAX; scanned += SCAN_STEP_ROWS) {
      const limit = query.limit - events.length;
      const step = await this.#step(account, { ...query, after: next, limit }, textLeft);
      events.push(...step.events);
      next = step.next;
      if (step.ends) return { events, next, more: true };
      if (next >= query.until) return { events, next, more: false };
      for (const event of step.events) textLeft -= textBytes(event);
    }
    return { events, next, more: true };
  }

  async find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    const [row] = await this.#query<EventRow>(ONE, [account, number]);
    return row && eventFromRow(row);
  }

  /** The last number whose event is no longer stored. */
  async expired(): Promise<bigint> {
    const [row] = await this.#query<{ number: string }>("SELECT number::text FROM number_marks WHERE at = 0", []);
    return BigInt(row?.number ?? 0);
  }

  async stepBack(account: AccountNumber, until: bigint, rows: number): Promise<bigint> {
    const [row] = await this.#query<{ number: string | null }>(STEP_BACK, [account, until, rows]);
    return BigInt(row?.number ?? 0);
  }

  async touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    const rows = await this.#query<{ account: number }>(TOUCHED, [accounts, after, until]);
    return rows.map(({ account }) => account);
  }

  /** `ends` is true if the page ended here, before everything was read. */
  async #step(
    account: AccountNumber,
    { after, until, limit, types }: EventQuery,
    textLeft: number,
  ): Promise<Pick<EventPage, "events" | "next"> & { readonly ends: boolean }> {
    const values = [account, after, max(until, after), kindMask(types), limit, textLeft, SCAN_STEP_ROWS - 1];
    const rows = await this.#query<PageRow>(PAGE, values);
    const [first] = rows;
    if (!first) throw new Error("A page of events has at least one row");
    if (after < BigInt(first.expired ?? 0)) throw eventsExpired();
    const events = rows.filter(hasNumber).map(eventFromRow);
    const ends = events.length === limit || events.length < first.found;
    return { events, next: ends ? (events.at(-1)?.number ?? after) : BigInt(first.until), ends };
  }

  async #query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.#pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw toFailure(error);
    }
  }
}

function hasNumber(row: PageRow): row is PageRow & { number: string } {
  return row.number !== null;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
