import { type RawBuilder, sql } from "kysely";
import type { EventPage, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import type { EventReads } from "#core/reads.ts";
import { named, type Queries } from "./database-access.ts";
import {
  DERIVED,
  type EventRow,
  EXACT,
  eventFromRow,
  KIND_REMOVED,
  kindMask,
  OLD_TEXTS,
  PAGE_TEXT_BYTES_MAX,
  SCAN_STEP_ROWS,
  WRITTEN,
} from "./event-row.ts";
import { bytesOf } from "./plant-row.ts";

/**
 * `byPlant` and `byRemoval` are words after the name of `plant_events` by which an engine that would choose another index
 * takes the right one, `removal` is the number in the index of removals.
 */
export type IndexHints = Readonly<Record<"byPlant" | "byRemoval" | "removal", string>>;

/** How many removals a second pass scans for free ids. */
const SCANNED_REMOVALS = 500;
const ALL_KINDS = kindMask(undefined);
const NUMBER = sql.raw("number");

/**
 * Events newest first, for people. The events of a plant get their numbers in the order of their commits, so they are read
 * as they are, without a wait for the horizon. A page reads a bounded number of rows: it may be empty and have a next one.
 */
export function historyReads(db: Queries, hints: IndexHints): Pick<EventReads, "history" | "removed"> {
  const [byPlant, byRemoval, removal] = [hints.byPlant, hints.byRemoval, hints.removal].map((text) => sql.raw(text));
  return {
    history(account, { plant, before, limit, types }) {
      const mask = kindMask(types);
      const rows = mask === ALL_KINDS ? limit + 1 : SCAN_STEP_ROWS;
      // A plant at revision 1 is the newest event of its id.
      const found = sql`SELECT * FROM (
        SELECT ${STORED}, 1 AS stored, 0 AS free FROM plant_events ${byPlant}
        WHERE account = ${account} AND plant_id = ${plant} AND ${inRange(before)} ORDER BY number DESC LIMIT ${sql.lit(rows)}
      ) AS stored UNION ALL SELECT ${OWN}, 0, 0
        FROM plants WHERE account = ${account} AND id = ${plant} AND revision = 1 AND ${inRange(before)}`;
      return page(db, account, {
        found,
        rows,
        before,
        limit,
        isWanted: ({ kind }) => ((mask >> Number(kind)) & 1) === 1,
      });
    },

    /** An id may have been removed several times, and only its last event is its last removal. */
    async removed(account, { before, limit }) {
      const isFree = sql`NOT EXISTS (SELECT 1 FROM plants WHERE account = ${account} AND id = event.plant_id)
        AND NOT EXISTS (SELECT 1 FROM plant_events AS later ${byPlant}
          WHERE later.account = ${account} AND later.plant_id = event.plant_id AND later.number > event.number)`;
      const scan = (rows: number) => {
        const found = sql`SELECT ${STORED}, 1 AS stored, CASE WHEN ${isFree} THEN 1 ELSE 0 END AS free
          FROM plant_events AS event ${byRemoval}
          WHERE account = ${account} AND kind = ${sql.lit(KIND_REMOVED)} AND ${inRange(before, removal)}
          ORDER BY ${removal} DESC LIMIT ${sql.lit(rows)}`;
        return page(db, account, { found, rows, before, limit, isWanted: ({ free }) => Number(free) === 1 });
      };
      const few = await scan(limit + 1);
      const isEnough = !few.more || few.events.length === limit || limit >= SCANNED_REMOVALS;
      return isEnough ? few : scan(SCANNED_REMOVALS);
    },
  };
}

function inRange(before: bigint, number = NUMBER): RawBuilder<unknown> {
  return sql`${number} < ${before} AND ${number} > (SELECT number FROM number_marks WHERE at = 0)`;
}

/** The texts of more bytes than this are read by themselves, once it is known that they fit on the page. */
const SHORT_BYTES_MAX = 512;

/** The columns of an event with its size, which both engines know without reading the texts, and its short texts. */
function short(columns: string, texts: readonly string[]): RawBuilder<unknown> {
  const cut = `CASE WHEN octet_length($&) <= ${SHORT_BYTES_MAX} THEN $& END AS $&`;
  return sql.raw(
    `${columns.replaceAll(new RegExp(`(?<=, )(${texts.join("|")})(?=,)`, "g"), cut)}, ${bytesOf(texts)} AS size`,
  );
}

const STORED = short(WRITTEN, [...MEMBER_NAMES, ...OLD_TEXTS]);
const OWN = short(DERIVED, MEMBER_NAMES);

/** An event, with its texts only if their size is short. */
interface Found extends EventRow {
  readonly size: number;
  /** 0 for a plant that is its own created event. */
  readonly stored: number;
  /** 1 for a removal whose id is free. */
  readonly free: number;
}

interface PageRequest {
  /** Selects the columns of Found, and at most `rows` that are stored. */
  readonly found: RawBuilder<unknown>;
  readonly rows: number;
  readonly before: bigint;
  readonly limit: number;
  readonly isWanted: (found: Found) => boolean;
}

/** Long texts are read only of the events that fit on the page, whose rows never change. */
async function page(
  db: Queries,
  account: AccountNumber,
  { found, rows, before, limit, isWanted }: PageRequest,
): Promise<EventPage> {
  const exact = sql<Found>`(SELECT ${sql.raw(EXACT)}, size, stored, free FROM (${found}) AS found)`;
  const query = named("history of plants", db.selectFrom(exact.as("exact")).selectAll().compile());
  const scanned = (await db.getExecutor().executeQuery(query)).rows
    .map((row) => ({ ...row, number: BigInt(row.number) }))
    .sort((a, b) => (a.number < b.number ? 1 : -1));
  const wanted = scanned.filter(isWanted);
  const shown = wanted.slice(0, fitting(wanted, limit));
  const long = await longEvents(db, account, shown);
  // An event that has expired between the two reads is left out.
  const events = shown.flatMap((row) => (isLong(row) ? (long.get(row.number) ?? []) : eventFromRow(row)));
  if (shown.length < wanted.length) return { events, next: shown.at(-1)?.number ?? before, more: true };
  const more = scanned.filter(({ stored }) => Number(stored) === 1).length === rows;
  return { events, next: scanned.at(-1)?.number ?? before, more };
}

/** How many fit on a page, at least one. */
function fitting(wanted: readonly Pick<Found, "size">[], limit: number): number {
  let bytes = 0;
  const first = wanted.findIndex(({ size }, index) => {
    const isOver = index === limit || bytes >= PAGE_TEXT_BYTES_MAX;
    bytes += Number(size);
    return isOver;
  });
  return first < 0 ? wanted.length : first;
}

function isLong({ size }: Pick<Found, "size">): boolean {
  return Number(size) > SHORT_BYTES_MAX;
}

/** Those of the events whose texts were not read with them, by their numbers. */
async function longEvents(
  db: Queries,
  account: AccountNumber,
  shown: readonly Numbered[],
): Promise<ReadonlyMap<bigint, PlantEvent>> {
  const long = shown.filter(isLong);
  if (long.length === 0) return new Map();
  const ownPlant = long.find(({ stored }) => Number(stored) === 0)?.number ?? 0n;
  // The sum keeps PostgreSQL from an index that begins with the account and has all its events.
  const events = sql<EventRow>`(SELECT ${sql.raw(EXACT)} FROM (
    SELECT ${sql.raw(WRITTEN)} FROM plant_events
    WHERE account + 0 = ${account} AND number IN (${sql.join(long.map(({ number }) => number))})
    UNION ALL SELECT ${sql.raw(DERIVED)} FROM plants WHERE account = ${account} AND number = ${ownPlant} AND revision = 1
  ) AS found)`;
  const rows = await db.selectFrom(events.as("events")).selectAll().execute();
  return new Map(rows.map(eventFromRow).map((event) => [event.number, event]));
}

/** A found event with its exact number, which a driver may have rounded. */
interface Numbered extends Found {
  readonly number: bigint;
}
