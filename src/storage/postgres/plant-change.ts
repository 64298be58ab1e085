import { type EventActor, storedActor } from "#core/event-actor.ts";
import type { AccountNumber } from "#core/plant.ts";
import { TEXT_BYTES } from "../plant-row.ts";

/** The transaction has its id before it draws a number, which the horizon relies on. */
const STARTED = "started AS MATERIALIZED (SELECT pg_current_xact_id() AS transaction)";
/** The search index follows changes of plants in indexed accounts. */
const SEARCHED = `searched AS (
  INSERT INTO plant_search_changes (account, number, id)
  SELECT account, number, id FROM written WHERE EXISTS (SELECT FROM plant_search_marks WHERE account = $1)
)`;
const MET = "account = $1 AND id = $5 AND number = $6 AND revision = $7 AND started.transaction IS NOT NULL";
/**
 * The part of a statement that counts the plants of its part `plants`, or discounts them. An account's count is spread over
 * several rows by connection, since batches that run at once would wait for a single row. The statement fails unless the
 * check is true, which it is asked for each account.
 */
export function countedFrom(plants: string, { sign = "", check = "true" } = {}): string {
  return `counted AS (
  INSERT INTO plant_counts (account, slot, count)
  SELECT account, CASE WHEN ${check} THEN pg_backend_pid() % 64 END, ${sign}count(*)
  FROM ${plants} GROUP BY account ORDER BY account
  ON CONFLICT (account, slot) DO UPDATE SET count = plant_counts.count + excluded.count
)`;
}

/**
 * A change or removals with their events, in one statement. `written` returns the plants as they were. A plant at revision 1
 * is its own created event, which is stored here under the plant's number before the plant changes.
 * $1 the account, $2 true if events are stored, $3 who does it, or null, $4 the time; $5 and following belong to the change.
 * `number` draws the event's number, which happens while the plant's row is locked, so it is above those of all earlier
 * events of the plant. `event` has the columns of the event from its kind on.
 */
function changing(
  written: string,
  { number, event, counted = "", count }: Record<"number" | "event" | "count", string> & { readonly counted?: string },
): string {
  return `
WITH ${STARTED}, ${written}, ${SEARCHED}, ${counted} kept AS (
  INSERT INTO plant_events (number, account, kind, at, plant_id, name, tag, old_name, old_tag, created_at, updated_at)
  SELECT number, account, 0, created_at, id, name, tag, NULL, NULL, created_at, created_at
  FROM written WHERE revision = 1 AND $2::boolean
  UNION ALL
  SELECT ${number}, account, ${event} FROM written WHERE $2::boolean
  RETURNING number, account, kind
), acted AS (
  INSERT INTO plant_event_actors (number, account, actor)
  SELECT number, account, $3::text FROM kept WHERE kind <> 0 AND $3::text IS NOT NULL
)
SELECT count(*) AS count FROM ${count}`;
}

/**
 * It does nothing if the plant is no longer as it was read: $5 its id, $6 number, $7 revision, $8 name, $9 tag,
 * $10 created_at. $11 name, $12 tag and $13 revision are the new ones.
 */
export const CHANGE = changing(
  `written AS (
  UPDATE plants SET name = $11, tag = $12, revision = $13, updated_at = $4 FROM started WHERE ${MET}
  RETURNING account, number, id, $7::bigint AS revision, $8::text AS name, $9::text AS tag, $10::bigint AS created_at
)`,
  {
    number: "nextval('plant_number')",
    event: "1, $4::bigint, id, $11::text, $12::text, NULLIF(name, $11::text), tag, created_at, $4::bigint",
    count: "written",
  },
);

const WRITTEN_BEFORE = "RETURNING account, number, plants.id, revision, name, tag, created_at, updated_at";
const REMOVED = {
  /** The number is shown to creates that have drawn theirs already and may follow this removal. */
  number: "setval('last_removal', nextval('plant_number'))",
  event: "2, greatest($4::bigint, updated_at), id, name, tag, NULL, NULL, created_at, updated_at",
  counted: `${countedFrom("written", { sign: "-" })},`,
};

/** It does nothing if the plant is no longer as it was read: $5 its id, $6 number, $7 revision. */
export const REMOVE = changing(`written AS (DELETE FROM plants USING started WHERE ${MET} ${WRITTEN_BEFORE})`, {
  ...REMOVED,
  count: "written",
});

/**
 * Removes some of the plants up to the number $5: few, and little text, so that it does not take long. It counts those that
 * it found, which another node may have removed meanwhile.
 */
export const REMOVE_UP_TO = changing(
  `slice AS MATERIALIZED (
  SELECT id FROM (
    SELECT id, sum(${TEXT_BYTES}) OVER (ORDER BY number) - (${TEXT_BYTES}) AS bytes_before
    FROM (SELECT * FROM plants WHERE account = $1 AND number <= $5 ORDER BY number LIMIT 500) AS next
  ) AS measured WHERE bytes_before < 1048576
), written AS (
  DELETE FROM plants USING started, slice
  WHERE account = $1 AND plants.id = slice.id AND number <= $5 AND started.transaction IS NOT NULL ${WRITTEN_BEFORE}
)`,
  { ...REMOVED, count: "slice" },
);

/** $1 to $4 of all. */
export function valuesOf(
  account: AccountNumber,
  { keepsEvents, by, at }: { readonly keepsEvents: boolean; readonly by?: EventActor | undefined; readonly at: number },
): unknown[] {
  return [account, keepsEvents, by ? storedActor(by) : null, at];
}
