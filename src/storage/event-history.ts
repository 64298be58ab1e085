import { type RawBuilder, sql } from "kysely";
import type { EventPage } from "#core/event.ts";
import type { EventReads } from "#core/reads.ts";
import type { Queries } from "./database-access.ts";
import {
  DERIVED,
  type EventRow,
  EXACT,
  eventFromRow,
  KIND_CREATED,
  KIND_REMOVED,
  kindMask,
  PAGE_TEXT_BYTES_MAX,
  SCAN_STEP_ROWS,
  WRITTEN,
} from "./event-row.ts";

/*
 * Events newest first, for people. A plant's own events get their numbers in the order of their commits, so they are read
 * as they are, without a wait for the horizon.
 */

/** The events of one plant. A page reads at most SCAN_STEP_ROWS of them: it may be empty and have a next one. */
export function historyReads(db: Queries): Pick<EventReads, "history" | "removed"> {
  return {
    history(account, { plant, before, limit, types }) {
      const mask = kindMask(types);
      const stored = sql`account = ${account} AND plant_id = ${plant}`;
      const derived = sql`UNION ALL SELECT ${sql.raw(DERIVED)} FROM plants
        WHERE account = ${account} AND id = ${plant} AND revision = 1 AND ${sql.lit(mask & (1 << KIND_CREATED) ? 1 : 0)} = 1`;
      const wanted = sql`(${sql.lit(mask)} >> kind) & 1 = 1`;
      return readBack(db, { stored, derived, wanted, before, limit });
    },

    /** An id may have been removed several times, and only its last event is its last removal. */
    removed(account, { before, limit }) {
      const stored = sql`account = ${account} AND kind = ${sql.lit(KIND_REMOVED)}`;
      const wanted = sql`NOT EXISTS (SELECT 1 FROM plants WHERE account = ${account} AND id = event.plant_id)
        AND NOT EXISTS (SELECT 1 FROM plant_events AS later
          WHERE later.account = ${account} AND later.plant_id = event.plant_id AND later.number > event.number)`;
      return readBack(db, { stored, derived: sql``, wanted, before, limit });
    },
  };
}

interface Back {
  /** Which stored events are read. */
  readonly stored: RawBuilder<unknown>;
  /** Adds derived events to the stored ones. */
  readonly derived: RawBuilder<unknown>;
  /** Which of those that are read, as \`event\`, are on the page. */
  readonly wanted: RawBuilder<unknown>;
  readonly before: bigint;
  readonly limit: number;
}

interface BackRow extends EventRow {
  /** The number of events found for the page, including those that do not fit. */
  readonly found: number;
}

/** One statement, so from one snapshot. A page also ends at PAGE_TEXT_BYTES_MAX of text. */
async function readBack(db: Queries, { stored, derived, wanted, before, limit }: Back): Promise<EventPage> {
  const from = await startOfRange(db, stored, before);
  const inRange = sql`number < ${before} AND number >= ${from ?? 0n}
    AND number > (SELECT number FROM number_marks WHERE at = 0)`;
  const size = sql`octet_length(name) + coalesce(octet_length(tag), 0)
    + coalesce(octet_length(old_name), 0) + coalesce(octet_length(old_tag), 0)`;
  const page = sql<BackRow>`(WITH event AS (
    SELECT ${sql.raw(WRITTEN)} FROM plant_events WHERE ${stored} AND ${inRange} ${derived}
  ), page AS (
    SELECT * FROM event WHERE ${inRange} AND ${wanted} ORDER BY number DESC LIMIT ${limit + 1}
  ), sized AS (
    SELECT *, sum(${size}) OVER (ORDER BY number DESC ROWS UNBOUNDED PRECEDING) - (${size}) < ${PAGE_TEXT_BYTES_MAX} AS fits
    FROM page
  ) SELECT ${sql.raw(EXACT)}, (SELECT count(*) FROM page) AS found FROM sized WHERE fits)`;
  const rows = await db.selectFrom(page.as("page")).selectAll().execute();
  const events = rows.map(eventFromRow).sort((a, b) => (a.number < b.number ? 1 : -1));
  const shown = events.slice(0, limit);
  if (Number(rows[0]?.found ?? 0) > shown.length)
    return { events: shown, next: shown.at(-1)?.number ?? before, more: true };
  return { events: shown, next: from ?? 0n, more: from !== undefined };
}

/** The number from which on SCAN_STEP_ROWS stored events are left; undefined if there are fewer. */
async function startOfRange(db: Queries, stored: RawBuilder<unknown>, before: bigint): Promise<bigint | undefined> {
  const range = sql<{ number: string }>`(SELECT CAST(number AS text) AS number FROM plant_events
    WHERE ${stored} AND number < ${before} ORDER BY plant_events.number DESC LIMIT 1 OFFSET ${sql.lit(SCAN_STEP_ROWS - 1)})`;
  const row = await db.selectFrom(range.as("range")).selectAll().executeTakeFirst();
  return row && BigInt(row.number);
}
