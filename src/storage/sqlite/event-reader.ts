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
import type { ReadConnection, ReadStatement } from "./read-connection.ts";

const IN_RANGE = "account = ?1 AND number > ?2 AND number <= ?3";

type Range = [AccountNumber, bigint, bigint];

/**
 * Reads the feed of an SQLite file. Only one connection writes at a time, so numbers are in the order of the commits,
 * and everything committed may be read.
 */
export class SqliteEventReader {
  readonly #page: ReadStatement<EventRow, [...Range, number, number]>;
  readonly #plantStep: ReadStatement<{ number: bigint }, Range>;
  readonly #eventStep: ReadStatement<{ number: bigint }, Range>;
  readonly #backBy: ReadStatement<{ number: bigint | null }, [AccountNumber, bigint, number]>;
  readonly #one: ReadStatement<EventRow, [AccountNumber, bigint]>;
  readonly #head: ReadStatement<{ number: bigint }, []>;
  readonly #expired: ReadStatement<{ number: bigint }, []>;
  readonly #touched: ReadStatement<{ account: bigint }, [string, bigint, bigint]>;

  constructor(database: ReadConnection) {
    const prepare = <Row, Parameters extends (string | number | bigint)[]>(sql: string) => {
      const statement = database.prepare<Row, Parameters>(sql);
      statement.safeIntegers(true);
      return statement;
    };
    this.#page = prepare(`
      SELECT ${DERIVED} FROM plants WHERE ${IN_RANGE} AND revision = 1 AND ?4 & 1
      UNION ALL SELECT ${WRITTEN} FROM plant_events WHERE ${IN_RANGE} AND (?4 >> kind) & 1
      ORDER BY number LIMIT ?5`);
    const step = `ORDER BY number LIMIT 1 OFFSET ${SCAN_STEP_ROWS - 1}`;
    this.#plantStep = prepare(`SELECT number FROM plants WHERE ${IN_RANGE} ${step}`);
    this.#eventStep = prepare(`SELECT number FROM plant_events WHERE ${IN_RANGE} ${step}`);
    const back = "WHERE account = ?1 AND number <= ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3";
    this.#backBy = prepare(`
      SELECT max(number) AS number FROM (
        SELECT * FROM (SELECT number FROM plants ${back})
        UNION ALL SELECT * FROM (SELECT number FROM plant_events ${back}))`);
    this.#one = prepare(`
      SELECT ${WRITTEN} FROM plant_events WHERE account = ?1 AND number = ?2
      UNION ALL SELECT ${DERIVED} FROM plants WHERE account = ?1 AND number = ?2 AND revision = 1`);
    this.#head = prepare("SELECT value AS number FROM counters WHERE name = 'plant_number'");
    this.#expired = prepare("SELECT number FROM number_marks WHERE at = 0");
    this.#touched = prepare(`
      SELECT value AS account FROM json_each(?1) WHERE
      EXISTS (SELECT 1 FROM plants WHERE account = value AND number > ?2 AND number <= ?3)
      OR EXISTS (SELECT 1 FROM plant_events WHERE account = value AND number > ?2 AND number <= ?3)`);
  }

  /** The last number that was given out. */
  head(): bigint {
    return this.#head.get()?.number ?? 0n;
  }

  /** The last number whose event is no longer stored. */
  expired(): bigint {
    return this.#expired.get()?.number ?? 0n;
  }

  find(account: AccountNumber, number: bigint): PlantEvent | undefined {
    if (number <= this.expired()) return undefined;
    const row = this.#one.get(account, number);
    return row ? eventFromRow(row) : undefined;
  }

  stepBack(account: AccountNumber, until: bigint, rows: number): bigint {
    const [back, expired] = [this.#backBy.get(account, until, rows)?.number ?? 0n, this.expired()];
    return back > expired ? back : expired;
  }

  touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): AccountNumber[] {
    return this.#touched.all(JSON.stringify(accounts), after, until).map(({ account }) => Number(account));
  }

  /** Each step is from one snapshot. */
  read(account: AccountNumber, query: EventQuery): EventPage {
    const page: { readonly events: PlantEvent[]; bytes: number } = { events: [], bytes: 0 };
    const { events } = page;
    let next = query.after;
    for (let scanned = 0; scanned < SCANNED_ROWS_MAX; scanned += SCAN_STEP_ROWS) {
      if (next < this.expired()) throw eventsExpired();
      if (query.until <= next) return { events, next, more: false };
      const until = this.#stepEnd(account, next, query.until);
      const last = this.#take(page, [account, next, until], query);
      if (last !== undefined) return { events, next: last, more: true };
      next = until;
      if (until === query.until) return { events, next, more: false };
    }
    return { events, next, more: true };
  }

  /** Adds the events of the range. Returns the number of the last one if the page ends with it. */
  #take(page: { events: PlantEvent[]; bytes: number }, range: Range, { limit, types }: EventQuery): bigint | undefined {
    for (const row of this.#page.iterate(...range, kindMask(types), limit - page.events.length)) {
      const event = eventFromRow(row);
      page.bytes += textBytes(event);
      if (page.events.push(event) === limit || page.bytes >= PAGE_TEXT_BYTES_MAX) return event.number;
    }
    return undefined;
  }

  /** The end of a step that scans at most SCAN_STEP_ROWS of each table. */
  #stepEnd(account: AccountNumber, after: bigint, head: bigint): bigint {
    const ends = [this.#plantStep.get(account, after, head), this.#eventStep.get(account, after, head)];
    return ends.reduce((end, row) => (row && row.number < end ? row.number : end), head);
  }
}
