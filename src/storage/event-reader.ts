import { sql } from "kysely";
import type { EventPage, EventQuery, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import { named, type Queries } from "./database-access.ts";
import { eventDoers, plantCreators } from "./event-doers.ts";
import { historyReads, type IndexHints } from "./event-history.ts";
import {
  DERIVED,
  type EventRow,
  EXACT,
  eventFromRow,
  PAGE_TEXT_BYTES_MAX,
  SCAN_STEP_ROWS,
  SCANNED_ROWS_MAX,
  textBytes,
  WRITTEN,
} from "./event-row.ts";

/** The first part of a page, for which at most SCAN_STEP_ROWS plants and as many stored events were read. */
export interface EventStep {
  readonly events: readonly PlantEvent[];
  /** Everything up to this number was read. */
  readonly next: bigint;
  /** True if the page ends here: its limit is reached, or the amount of its text. */
  readonly ends: boolean;
}

/** Reads a step from one snapshot. Throws "cursor-expired". */
export type ReadStep = (account: AccountNumber, query: EventQuery, textBytesMax: number) => Promise<EventStep>;

/** The reads of the feed, in steps, which each engine reads in its own way. */
export function eventReads(db: Queries, readStep: ReadStep, hints: IndexHints): EventReads {
  return {
    read: (account, query) => readPage(account, query, readStep),
    afterOfLast: (account, until, rows) => afterOfLast(db, account, until, rows),
    find: (account, number) => findEvent(db, account, number),
    has: (account, numbers) => hasEvents(db, account, numbers),
    oldest: () => lastExpired(db),
    doers: (account, events) => eventDoers(db, account, events),
    creators: (account, ids) => plantCreators(db, hints, account, ids),
    ...historyReads(db, hints),
  };
}

async function readPage(account: AccountNumber, query: EventQuery, readStep: ReadStep): Promise<EventPage> {
  const events: PlantEvent[] = [];
  let textLeft = PAGE_TEXT_BYTES_MAX;
  let next = query.after;
  for (let scanned = 0; scanned < SCANNED_ROWS_MAX; scanned += SCAN_STEP_ROWS) {
    const step = await readStep(account, { ...query, after: next, limit: query.limit - events.length }, textLeft);
    events.push(...step.events);
    next = step.next;
    if (step.ends) return { events, next, more: next < query.until };
    if (next >= query.until) return { events, next, more: false };
    for (const event of step.events) textLeft -= textBytes(event);
  }
  return { events, next, more: true };
}

async function hasEvents(db: Queries, account: AccountNumber, numbers: readonly bigint[]): Promise<boolean> {
  const distinct = new Set(numbers);
  const here = sql`account = ${account} AND number IN (${sql.join([...distinct])})`;
  const found = sql<object>`(SELECT number FROM plant_events WHERE ${here}
    UNION SELECT number FROM plants WHERE ${here} AND revision = 1)`;
  const kept = db
    .selectFrom(found.as("found"))
    .where(sql<boolean>`number > (SELECT number FROM number_marks WHERE at = 0)`);
  const { count } = await kept.select((rows) => rows.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  return Number(count) === distinct.size;
}

async function afterOfLast(db: Queries, account: AccountNumber, until: bigint, rows: number): Promise<bigint> {
  const back = sql`WHERE account = ${account} AND number <= ${until} ORDER BY number DESC LIMIT 1 OFFSET ${rows}`;
  const step = sql<{ number: string | null }>`(SELECT CAST(max(number) AS text) AS number FROM (
    SELECT * FROM (SELECT number FROM plants ${back}) AS plant
    UNION ALL SELECT * FROM (SELECT number FROM plant_events ${back}) AS event
    UNION ALL SELECT number FROM number_marks WHERE at = 0) AS ends)`;
  const row = await db.selectFrom(step.as("step")).selectAll().executeTakeFirst();
  return BigInt(row?.number ?? 0);
}

export async function findEvent(db: Queries, account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
  const here = sql`account = ${account} AND number = ${number}`;
  const event = sql<EventRow>`(SELECT ${sql.raw(EXACT)} FROM (
    SELECT ${sql.raw(WRITTEN)} FROM plant_events WHERE ${here}
    UNION ALL SELECT ${sql.raw(DERIVED)} FROM plants WHERE ${here} AND revision = 1) AS found
    WHERE number > (SELECT number FROM number_marks WHERE at = 0))`;
  const row = await db.selectFrom(event.as("event")).selectAll().executeTakeFirst();
  return row && eventFromRow(row);
}

/** The last number whose event is no longer stored. */
export async function lastExpired(db: Queries): Promise<bigint> {
  const number = sql<string>`CAST(number AS text)`.as("last");
  const mark = db.selectFrom("number_marks").select(number).where("at", "=", 0);
  const { rows } = await db.getExecutor().executeQuery(named("last expired event", mark.compile()));
  return BigInt(rows[0]?.last ?? 0);
}
