import { MEMBER_NAMES } from "#core/plant-members.ts";
import { OLD_TEXTS, WRITTEN } from "../event-row.ts";
import { TEXT_BYTES, TEXTS, textsIn, textsUpTo } from "../plant-row.ts";

/**
 * The transaction has its id before it draws a number, which the horizon relies on. Its commit waits for the disk and the
 * synchronous standby whatever the database's settings are.
 */
export const STARTED = `started AS MATERIALIZED (
  SELECT pg_current_xact_id() AS transaction,
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
      THEN set_config('synchronous_commit', 'on', true) END AS commit
)`;
/**
 * Always true, but PostgreSQL expects it of few rows. So its plan looks each given plant up by the index, even a plan that was
 * made while the table was small; and it keeps one plan for all batches, since planning a small one takes longer than running
 * it.
 */
export const FEW_GIVEN = "given.account + 0 = given.account";
/** Shows the number of a removal to creates that have drawn theirs already and may follow it. */
export const REMOVAL_NUMBER = "setval('last_removal', nextval('plant_number'))";
export const EVENT_COLUMNS = `account, ${WRITTEN}, actor`;
const OLD = OLD_TEXTS.join(", ");
const WIDTH = MEMBER_NAMES.length;
/** `count` parameters, the first of them number `from`, each an array of texts. */
export function textArrays(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `$${from + at}::text[]`).join(", ");
}

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

/** The part of a statement that notes the changed or removed plants of its part `plants`, in accounts that the search index covers. */
export function searchedFrom(plants: string): string {
  return `searched AS (
  INSERT INTO plant_search_changes (account, number, id)
  SELECT account, number, id FROM ${plants} WHERE account IN (SELECT account FROM plant_search_marks)
)`;
}

/** $1 accounts, $2 ids, $3 the most bytes of texts that are read of each. `place` is where its row is in the table. */
export const FIND_PLANTS = {
  name: "find plants to change",
  text: `
SELECT account, number::text, id::text, revision, created_at, updated_at, plants.ctid::text AS place,
  ${TEXT_BYTES} AS bytes, ${textsUpTo("bytes_max")}
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS given (account, id, bytes_max) JOIN plants USING (account, id)
WHERE ${FEW_GIVEN}`,
};

/**
 * Changes and removes plants, as far as they are still as they were read.
 * - By plant: $1 the place of its row, $2 accounts, $3 ids, $4 numbers and $5 revisions as read; $6 new revisions, $7 times
 *   of the change.
 * - By event: $8 the position of its plant, from 1, $9 the number, 0 for one from the sequence, $10 kinds, $11 times, $12 the
 *   plant's times of change, $13 who did it, $14 the marks of imports.
 * - From $15 on, for each member: by plant the new texts, whose name is null for a removal; by event the texts, then the old
 *   ones.
 * A row is found by its place, which spares the searches of an index; one that was written since is elsewhere. All plants are
 * locked first; then the events get their numbers, which are therefore above those of all earlier events of
 * their plants. A plant that another transaction holds is left out, so that no batch waits for a lock, or for another that
 * waits for it. `met` holds the positions of the plants that were written, and is null if all were.
 */
export const CHANGE_PLANTS = {
  name: "change plants",
  text: `
WITH ${STARTED}, locked AS MATERIALIZED (
  SELECT plants.ctid AS place, ${textsIn("given")}, given.revision, given.changed_at, given.position
  FROM started, unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], ${textArrays(15, WIDTH)})
    WITH ORDINALITY AS given (place, account, id, number, revision_read, revision, changed_at, ${TEXTS}, position)
    JOIN plants ON plants.ctid = given.place::tid
  WHERE started.transaction IS NOT NULL AND ${FEW_GIVEN} AND plants.account = given.account AND plants.id = given.id
    AND plants.number = given.number AND plants.revision = given.revision_read
  FOR UPDATE OF plants SKIP LOCKED
), changed AS (
  UPDATE plants SET ${MEMBER_NAMES.map((member) => `${member} = locked.${member}`)}, revision = locked.revision, updated_at = locked.changed_at
  FROM locked WHERE plants.ctid = locked.place AND locked.name IS NOT NULL
  RETURNING position, account, id, number, created_at
), removed AS (
  DELETE FROM plants USING locked WHERE plants.ctid = locked.place AND locked.name IS NULL
  RETURNING position, account, id, number, created_at
), written AS MATERIALIZED (
  SELECT * FROM changed UNION ALL SELECT * FROM removed
), ${countedFrom("removed", { sign: "-" })}, ${searchedFrom("written")}, told AS MATERIALIZED (
  SELECT CASE WHEN event.number > 0 THEN event.number WHEN kind = 2 THEN ${REMOVAL_NUMBER} ELSE nextval('plant_number') END AS number,
    account, kind, at, id AS plant_id, ${TEXTS}, ${OLD}, created_at, updated_at, actor, import
  FROM (
    SELECT event.*, written.account, written.id, written.created_at
    FROM unnest($8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::text[],
        ${textArrays(15 + WIDTH, 2 * WIDTH)})
      WITH ORDINALITY AS event (position, number, kind, at, updated_at, actor, import, ${TEXTS}, ${OLD}, turn)
      JOIN written USING (position)
    ORDER BY turn
  ) AS event
), kept AS (
  INSERT INTO plant_events (${EVENT_COLUMNS}) SELECT ${EVENT_COLUMNS} FROM told
), acted AS (
  INSERT INTO plant_event_actors (number, account, actor, import)
  SELECT number, account, actor, import FROM told WHERE import IS NOT NULL
)
SELECT CASE WHEN count(*) < cardinality($1::text[]) THEN ARRAY(SELECT position FROM written) END AS met FROM written`,
};

/** Its commit waits for the disk and the synchronous standby, and so for all that was read before. */
export const WAIT_FOR_DISK = {
  name: "wait for disk",
  text: "SELECT pg_logical_emit_message(true, 'plantstore', 'read back')",
};

/**
 * Removes some of the plants of the account $1 up to the number $2: few, and little text, so that it does not take long. It counts
 * those that it found, which another node may have removed meanwhile. $3 true if events are stored, $4 the time.
 */
export const REMOVE_UP_TO = `
WITH ${STARTED}, slice AS MATERIALIZED (
  SELECT id FROM (
    SELECT id, sum(${TEXT_BYTES}) OVER (ORDER BY number) - (${TEXT_BYTES}) AS bytes_before
    FROM (SELECT * FROM plants WHERE account = $1 AND number <= $2 ORDER BY number LIMIT 500) AS next
  ) AS measured WHERE bytes_before < 1048576
), removed AS (
  DELETE FROM plants USING started, slice
  WHERE account = $1 AND plants.id = slice.id AND number <= $2 AND started.transaction IS NOT NULL
  RETURNING account, number, plants.id, revision, ${TEXTS}, created_at, updated_at
), ${countedFrom("removed", { sign: "-" })}, ${searchedFrom("removed")}, kept AS (
  INSERT INTO plant_events (number, account, kind, at, plant_id, ${TEXTS}, created_at, updated_at)
  SELECT number, account, 0, created_at, id, ${TEXTS}, created_at, created_at
  FROM removed WHERE revision = 1 AND $3::boolean
  UNION ALL
  SELECT ${REMOVAL_NUMBER}, account, 2, greatest($4::bigint, updated_at), id, ${TEXTS}, created_at, updated_at
  FROM removed WHERE $3::boolean
)
SELECT count(*) AS count FROM slice`;
