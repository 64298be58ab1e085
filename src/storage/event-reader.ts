import { sql } from "kysely";
import type { EventPage, EventQuery, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { lastExpired } from "./event-marks.ts";
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
import type { Queries } from "./queries.ts";

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
export function eventReads(db: Queries, readStep: ReadStep): EventReads {
  return {
    read: (account, query) => readPage(account, query, readStep),
    stepBack: (account, until, rows) => stepBack(db, account, until, rows),
    oldest: () => lastExpired(db),
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
    if (step.ends) return { events, next, more: true };
    if (next >= query.until) return { events, next, more: false };
    for (const event of step.events) textLeft -= textBytes(event);
  }
  return { events, next, more: true };
}

async function stepBack(db: Queries, account: AccountNumber, until: bigint, rows: number): Promise<bigint> {
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

/** The accounts among these that have events between the two numbers. */
export async function touchedAccounts(
  { db, engine }: Pick<DatabaseAccess, "db" | "engine">,
  accounts: readonly AccountNumber[],
  after: bigint,
  until: bigint,
): Promise<AccountNumber[]> {
  const given =
    engine === "sqlite"
      ? sql<{ account: number }>`(SELECT value AS account FROM json_each(${JSON.stringify(accounts)}))`
      : sql<{ account: number }>`(SELECT unnest(${accounts}::bigint[]) AS account)`;
  const of = sql`account = given.account AND number > ${after} AND number <= ${until}`;
  const rows = await db
    .selectFrom(given.as("given"))
    .select("account")
    .where(sql<boolean>`(EXISTS (SELECT 1 FROM plants WHERE ${of}) OR EXISTS (SELECT 1 FROM plant_events WHERE ${of}))`)
    .execute();
  return rows.map(({ account }) => account);
}
