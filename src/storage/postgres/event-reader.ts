import { eventsExpired } from "#core/event.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import type { IndexHints } from "../event-history.ts";
import type { ReadStep } from "../event-reader.ts";
import {
  DERIVED,
  type EventRow,
  EXACT,
  eventFromRow,
  kindMask,
  OLD_TEXTS,
  SCAN_STEP_ROWS,
  WRITTEN,
} from "../event-row.ts";
import { bytesOf } from "../plant-row.ts";
import type { Pool } from "./pool.ts";

/** The index of removals is the only one by this sum. */
export const EVENT_INDEX_HINTS: IndexHints = { byPlant: "", byRemoval: "", removal: "(number + 0)" };

const IN_RANGE = "account = $1 AND number > $2 AND number <= $3";

/**
 * $1 account, $2 after, $3 horizon, $4 kinds, $5 limit, $6 bytes of text, $7 rows to scan, $8 plant. The conditions say
 * which plants and which stored events are read. `expired` and `until` are in
 * every row, including the only row of a page without events. It is one statement, so plants and stored events come
 * from one snapshot.
 */
function pageOf({ plants, events, order }: typeof OF_ALL): string {
  return `
WITH step AS MATERIALIZED (
  SELECT least(
    (SELECT number FROM plants WHERE ${IN_RANGE} AND ${plants} ${order} OFFSET $7 LIMIT 1),
    (SELECT number FROM plant_events WHERE ${IN_RANGE} AND ${events} ORDER BY number OFFSET $7 LIMIT 1),
    $3::bigint) AS until
), both_parts AS MATERIALIZED (
  (SELECT ${DERIVED} FROM plants
    WHERE account = $1 AND number > $2 AND number <= (SELECT until FROM step) AND revision = 1 AND $4::int & 1 = 1
      AND ${plants}
    ${order} LIMIT $5)
  UNION ALL
  (SELECT ${WRITTEN} FROM plant_events
    WHERE account = $1 AND number > $2 AND number <= (SELECT until FROM step) AND ($4::int >> kind) & 1 = 1
      AND ${events}
    ORDER BY number LIMIT $5)
), sized AS MATERIALIZED (
  SELECT *, number AS place, sum(size) OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) - size < $6 AS fits FROM (
    SELECT *, ${bytesOf([...MEMBER_NAMES, ...OLD_TEXTS])} AS size
    FROM both_parts ORDER BY number LIMIT $5
  ) AS page
)
SELECT until::text, (SELECT number::text FROM number_marks WHERE at = 0) AS expired,
  (SELECT count(*) FROM sized) AS found, ${EXACT}
FROM step LEFT JOIN sized ON fits ORDER BY place`;
}

const OF_ALL = { plants: "$8::bigint IS NULL", events: "$8::bigint IS NULL", order: "ORDER BY number" };
/** One plant needs no order, for which the planner would read all of them. */
const OF_PLANT = { plants: "id = $8", events: "plant_id = $8", order: "" };
const PAGE = { name: "events", text: pageOf(OF_ALL) };
const PAGE_OF_PLANT = { name: "events of a plant", text: pageOf(OF_PLANT) };

interface PageRow extends Omit<EventRow, "number"> {
  /** Null in the only row of a page without events. */
  readonly number: string | null;
  readonly until: string;
  readonly expired: string | null;
  /** The number of events found for the page, including those that do not fit. */
  readonly found: number;
}

export function stepReader(pool: Pool): ReadStep {
  return async (account, { after, until, limit, types, plant }, textBytesMax) => {
    const end = until > after ? until : after;
    const values = [account, after, end, kindMask(types), limit, textBytesMax, SCAN_STEP_ROWS - 1, plant ?? null];
    const rows = await pool.rows<PageRow>(plant === undefined ? PAGE : PAGE_OF_PLANT, values);
    const [first] = rows;
    if (!first) throw new Error("A page of events has at least one row");
    if (after < BigInt(first.expired ?? 0)) throw eventsExpired();
    const events = rows.flatMap(({ number, ...row }) => (number === null ? [] : eventFromRow({ ...row, number })));
    const ends = events.length === limit || events.length < first.found;
    return { events, next: ends ? (events.at(-1)?.number ?? after) : BigInt(first.until), ends };
  };
}
