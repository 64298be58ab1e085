import { sql } from "kysely";
import type { Actor } from "#core/caller.ts";
import type { PlantEvent } from "#core/event.ts";
import { actorFromStored, PROGRAM } from "#core/event-actor.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Queries } from "./database-access.ts";
import type { IndexHints } from "./event-history.ts";
import { KIND_CREATED } from "./event-row.ts";

/** The actor of each of the events. */
export async function eventDoers(
  db: Queries,
  account: AccountNumber,
  events: readonly Pick<PlantEvent, "number" | "type">[],
): Promise<(Actor<"event"> | undefined)[]> {
  if (events.length === 0) return [];
  const given = sql`account = ${account} AND number IN (${sql.join(events.map(({ number }) => number))})`;
  // The row without an actor has the last number from before anybody was recorded.
  const found = sql<{ number: string; actor: string | null }>`(SELECT CAST(number AS text) AS number, actor FROM (
    SELECT number, actor FROM plant_events WHERE ${given} AND actor IS NOT NULL
    UNION ALL SELECT number, actor FROM plant_event_actors WHERE ${given}
    UNION ALL SELECT number, NULL FROM number_marks WHERE at = -1) AS found)`;
  const rows = await db.selectFrom(found.as("doers")).selectAll().execute();
  const actors = new Map(rows.map(({ number, actor }) => [BigInt(number), actor]));
  const recordedAfter = BigInt(rows.find(({ actor }) => actor === null)?.number ?? 0);
  return events.map(({ number, type }) => {
    const actor = actors.get(number);
    if (actor) return actorFromStored(actor);
    return type === "plant.created" && number > recordedAfter ? PROGRAM : undefined;
  });
}

/**
 * The actors who created the plants of these ids. A plant at revision 1 is its own created event; that of another one is the
 * first stored event of its id, unless the id belonged to an earlier plant.
 */
export async function plantCreators(
  db: Queries,
  hints: IndexHints,
  account: AccountNumber,
  ids: readonly bigint[],
): Promise<Map<bigint, Actor<"event">>> {
  if (ids.length === 0) return new Map();
  const first = sql`(SELECT CASE WHEN kind = ${sql.lit(KIND_CREATED)} AND at = plants.created_at THEN number END
    FROM plant_events ${sql.raw(hints.byPlant)} WHERE account = ${account} AND plant_id = plants.id ORDER BY number LIMIT 1)`;
  const created = sql<{
    id: string;
    number: string;
  }>`(SELECT CAST(id AS text) AS id, CAST(created AS text) AS number FROM (
    SELECT id, CASE WHEN revision = 1 THEN number ELSE ${first} END AS created
    FROM plants WHERE account = ${account} AND id IN (${sql.join(ids)})) AS found
    WHERE created > (SELECT number FROM number_marks WHERE at = 0))`;
  const rows = await db.selectFrom(created.as("created")).selectAll().execute();
  const events = rows.map(({ number }) => ({ number: BigInt(number), type: "plant.created" as const }));
  const doers = await eventDoers(db, account, events);
  const found = new Map<bigint, Actor<"event">>();
  for (const [index, { id }] of rows.entries()) {
    const doer = doers[index];
    if (doer) found.set(BigInt(id), doer);
  }
  return found;
}
