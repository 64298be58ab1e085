import { type EventActor, storedActor } from "#core/event-actor.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";

/** The transaction has its id before it draws a number, which the horizon relies on. */
const STARTED = "started AS MATERIALIZED (SELECT pg_current_xact_id() AS transaction)";
/** The search index follows changes of plants in indexed accounts. */
const SEARCHED = `searched AS (
  INSERT INTO plant_search_changes (account, number, id)
  SELECT $1, $3, id FROM written WHERE EXISTS (SELECT FROM plant_search_marks WHERE account = $1)
)`;
const MET = "account = $1 AND id = $2 AND number = $3 AND revision = $4 AND started.transaction IS NOT NULL";
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
 * A change or removal with its events, in one statement. It does nothing if the plant is no longer as it was read. A
 * plant at revision 1 is its own created event, which is stored here under the plant's number before the plant changes.
 * $1 to $4 the plant as it was read; $5 its name, $6 tag, $7 created_at, $8 true if events are stored, $9 who does it,
 * or null; $10 and following belong to the change. `number` draws the event's number, which happens while the plant's row
 * is locked, so it is above those of all earlier events of the plant. `event` has the columns of the event from its kind on.
 */
function changing(written: string, number: string, event: string, counted = ""): string {
  return `
WITH ${STARTED}, written AS (
  ${written}
), ${SEARCHED}, ${counted} kept AS (
  INSERT INTO plant_events (number, account, kind, at, plant_id, name, tag, old_name, old_tag, created_at, updated_at)
  SELECT $3::bigint, account, 0, $7::bigint, id, $5::text, $6::text, NULL, NULL, $7::bigint, $7::bigint
  FROM written WHERE $4::bigint = 1 AND $8::boolean
  UNION ALL
  SELECT ${number}, account, ${event} FROM written WHERE $8::boolean
  RETURNING number, account, kind
), acted AS (
  INSERT INTO plant_event_actors (number, account, actor)
  SELECT number, account, $9::text FROM kept WHERE kind <> 0 AND $9::text IS NOT NULL
)
SELECT count(*) AS count FROM written`;
}

/** $10 name, $11 tag, $12 revision, $13 updated_at. */
export const CHANGE = changing(
  `UPDATE plants SET name = $10, tag = $11, revision = $12, updated_at = $13 FROM started WHERE ${MET}
  RETURNING account, id`,
  "nextval('plant_number')",
  "1, $13::bigint, id, $10::text, $11::text, NULLIF($5::text, $10::text), $6::text, $7::bigint, $13::bigint",
);

/** $10 updated_at, $11 now. The number is shown to creates that have drawn theirs already and may follow this removal. */
export const REMOVE = changing(
  `DELETE FROM plants USING started WHERE ${MET} RETURNING account, id`,
  "setval('last_removal', nextval('plant_number'))",
  "2, $11::bigint, id, $5::text, $6::text, NULL, NULL, $7::bigint, $10::bigint",
  `${countedFrom("written", { sign: "-" })},`,
);

/** $1 to $9 of either. */
export function valuesOf(
  account: AccountNumber,
  plant: Plant,
  keepsEvents: boolean,
  by: EventActor | undefined,
): unknown[] {
  const { id, number, revision, name, tag, createdAt } = plant;
  return [account, id, number, revision, name, tag ?? null, createdAt, keepsEvents, by ? storedActor(by) : null];
}
