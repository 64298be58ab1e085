import { sql } from "kysely";
import type { Actor } from "#core/caller.ts";
import type { PlantEvent } from "#core/event.ts";
import { actorFromStored, PROGRAM } from "#core/event-actor.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Queries } from "./database-access.ts";

/** The actor of each of the events. */
export async function eventDoers(
  db: Queries,
  account: AccountNumber,
  events: readonly PlantEvent[],
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
