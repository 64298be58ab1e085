import { storedActor } from "#core/event-actor.ts";
import type { Plant, PlantPatch } from "#core/plant.ts";
import { MEMBER_NAMES, withOptional } from "#core/plant-members.ts";
import { OLD_TEXTS } from "../event-row.ts";
import { bytesOf, type PlantRow, TEXTS } from "../plant-row.ts";
import { SMALL_SIZE_UNITS_MAX } from "../write-queue.ts";
import { int8Array, textArray } from "./binary-array.ts";
import type { Acted, PlantAct } from "./plant-act.ts";
import {
  countedFrom,
  EVENT_COLUMNS,
  FEW_GIVEN,
  REMOVAL_NUMBER,
  STARTED,
  searchedFrom,
  textArrays,
} from "./plant-change.ts";
import { type LentConnection, msUntil } from "./pool.ts";

/** $1 accounts, $2 ids, $3 who did it, $4 the time, $5 true if events are stored. */
const GIVEN = "$1::bigint[], $2::bigint[], $3::text[]";
/** Leaves out plants that another transaction holds, and those with long texts. The others are locked until the end. */
const JOINED = `JOIN plants ON plants.account = given.account AND plants.id = given.id
  WHERE started.transaction IS NOT NULL AND ${FEW_GIVEN}
    AND ${bytesOf(MEMBER_NAMES.map((member) => `plants.${member}`))} <= ${SMALL_SIZE_UNITS_MAX}
  FOR UPDATE OF plants SKIP LOCKED`;

const WIDTH = MEMBER_NAMES.length;
const GIVES = MEMBER_NAMES.map((member) => `gives_${member}`);
const each = (sql: (member: string, at: number) => string, separator = ", ") => MEMBER_NAMES.map(sql).join(separator);
const CHANGES = each((member) => `held.${member} IS DISTINCT FROM old_${member}`, " OR ");
const NOT_GIVEN = each((member) => `CASE WHEN gives_${member} = 0 THEN ${member} END AS ${member}`);

/**
 * From $6 on come the new texts, one array for each member; then, for each member, an array with 1 where the change gives the
 * text, and 0 where it stays. It returns a row for each plant that was changed or needed no change: its position, and the
 * texts that the change did not give. An event gets its number while its plant is locked.
 */
const CHANGE = {
  name: "change plants at once",
  text: `
WITH ${STARTED}, held AS MATERIALIZED (
  SELECT position, plants.ctid AS place, plants.account, plants.id, number, revision, created_at, updated_at AS old_updated_at,
    greatest($4::bigint, updated_at) AS updated_at, actor, ${GIVES.join(", ")},
    ${each((member) => `plants.${member} AS old_${member}, CASE WHEN gives_${member} = 1 THEN given.${member} ELSE plants.${member} END AS ${member}`)}
  FROM started, unnest(${GIVEN}, ${textArrays(6, WIDTH)}, ${each((_, at) => `$${6 + WIDTH + at}::bigint[]`)})
    WITH ORDINALITY AS given (account, id, actor, ${TEXTS}, ${GIVES.join(", ")}, position)
  ${JOINED}
), changed AS (
  UPDATE plants SET ${each((member) => `${member} = held.${member}`)}, revision = held.revision + 1, updated_at = held.updated_at
  FROM held WHERE plants.ctid = held.place AND (${CHANGES})
  RETURNING held.*
), ${searchedFrom("changed")}, kept AS (
  INSERT INTO plant_events (${EVENT_COLUMNS})
  SELECT account, number, 0, created_at, id, ${OLD_TEXTS.join(", ")}, ${each(() => "NULL")}, created_at, old_updated_at, NULL
  FROM changed WHERE revision = 1 AND $5::boolean
  UNION ALL
  SELECT account, nextval('plant_number'), 1, updated_at, id, ${TEXTS},
    ${each((member) => (member === "name" ? "nullif(old_name, name)" : `old_${member}`))}, created_at, updated_at, actor
  FROM changed WHERE $5::boolean
)
SELECT position, number::text, revision + 1 AS revision, created_at, updated_at, true AS "isChanged", ${NOT_GIVEN} FROM changed
UNION ALL
SELECT position, number::text, revision, created_at, old_updated_at, false, ${NOT_GIVEN} FROM held WHERE NOT (${CHANGES})`,
};

/** `met` holds the positions of the plants that were removed, and is null if all were. */
const REMOVE = {
  name: "remove plants at once",
  text: `
WITH ${STARTED}, held AS MATERIALIZED (
  SELECT position, plants.ctid AS place, actor
  FROM started, unnest(${GIVEN}) WITH ORDINALITY AS given (account, id, actor, position)
  ${JOINED}
), removed AS (
  DELETE FROM plants USING held WHERE plants.ctid = held.place
  RETURNING position, account, id, number, revision, ${TEXTS}, created_at, updated_at, actor
), ${countedFrom("removed", { sign: "-" })}, ${searchedFrom("removed")}, kept AS (
  INSERT INTO plant_events (number, account, kind, at, plant_id, ${TEXTS}, created_at, updated_at, actor)
  SELECT number, account, 0, created_at, id, ${TEXTS}, created_at, updated_at, NULL
  FROM removed WHERE revision = 1 AND $5::boolean
  UNION ALL
  SELECT ${REMOVAL_NUMBER}, account, 2, greatest($4::bigint, updated_at), id, ${TEXTS}, created_at, updated_at, actor
  FROM removed WHERE $5::boolean
)
SELECT CASE WHEN count(*) < cardinality($1::bigint[]) THEN ARRAY(SELECT position FROM removed) END AS met FROM removed`,
};

/** A text is null if the change gives it, or if there is none. */
type ChangedRow = Omit<PlantRow, "id"> & { readonly position: number; readonly isChanged: boolean };

/**
 * Changes and removes plants without reading them first, by one statement for the changes and one for the removals. This costs
 * the database two thirds of the way that reads them first. It leaves out what it cannot do, or would have to refuse: a
 * plant with long texts, one that another transaction holds or has just changed, and one that is not there.
 */
export class ActsAtOnce {
  constructor(private readonly keepsEvents: boolean) {}

  /** Adds to `done` what was done of acts on different plants. */
  async write(client: LentConnection, acts: readonly PlantAct[], done: Map<PlantAct, Acted>, deadline: number) {
    const changes = acts.filter(({ patch }) => patch);
    const removals = acts.filter(({ patch }) => !patch);
    if (changes.length > 0) await this.#change(client, changes, done, msUntil(deadline));
    if (removals.length > 0) await this.#remove(client, removals, done, msUntil(deadline));
  }

  async #change(
    client: LentConnection,
    acts: readonly PlantAct[],
    done: Map<PlantAct, Acted>,
    query_timeout: number,
  ): Promise<void> {
    const values = [
      ...this.#valuesOf(acts),
      ...MEMBER_NAMES.map((member) => textArray(acts.map(({ patch }) => patch?.[member] ?? null))),
      ...MEMBER_NAMES.map((member) => int8Array(acts.map(({ patch }) => (patch?.[member] === undefined ? 0 : 1)))),
    ];
    const { rows } = await client.query<ChangedRow>({ ...CHANGE, query_timeout }, values);
    for (const row of rows) {
      const act = acts[row.position - 1];
      if (act) done.set(act, { plant: plantOf(act.id, act.patch ?? {}, row), isChanged: row.isChanged });
    }
  }

  async #remove(
    client: LentConnection,
    acts: readonly PlantAct[],
    done: Map<PlantAct, Acted>,
    query_timeout: number,
  ): Promise<void> {
    const { rows } = await client.query<{ met: string[] | null }>({ ...REMOVE, query_timeout }, this.#valuesOf(acts));
    const met = rows[0]?.met;
    const removed = met ? met.flatMap((position) => acts[Number(position) - 1] ?? []) : acts;
    for (const act of removed) done.set(act, { isRemoved: true });
  }

  #valuesOf(acts: readonly PlantAct[]): unknown[] {
    return [
      int8Array(acts.map(({ account }) => account)),
      int8Array(acts.map(({ id }) => id)),
      textArray(acts.map(({ by }) => (by ? storedActor(by) : null))),
      Date.now(),
      this.keepsEvents,
    ];
  }
}

function plantOf(id: bigint, patch: PlantPatch, row: ChangedRow): Plant {
  const plant = {
    id,
    number: BigInt(row.number),
    name: patch.name ?? row.name,
    revision: Number(row.revision),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
  return withOptional(plant, (member) => (patch[member] === undefined ? row[member] : patch[member]) ?? undefined);
}
