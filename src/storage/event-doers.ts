import { sql } from "kysely";
import type { EventDoer, PlantEvent } from "#core/event.ts";
import { actorFromStored } from "#core/event-actor.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Queries } from "./database-access.ts";

/** The actor of each of the events. */
export async function eventDoers(
  db: Queries,
  account: AccountNumber,
  events: readonly PlantEvent[],
): Promise<EventDoer[]> {
  if (events.length === 0) return [];
  const numbers = sql.join(events.map(({ number }) => number));
  const rows = await db
    .selectFrom("plant_event_actors")
    .select([sql<string>`CAST(number AS text)`.as("number"), "actor"])
    .where(sql<boolean>`account = ${account} AND number IN (${numbers})`)
    .execute();
  const actors = new Map(rows.map(({ number, actor }) => [BigInt(number), actorFromStored(actor)]));
  const recordedAfter = await lastUnrecorded(db);
  return events.map(({ number, type }) => {
    const isByProgram = type === "plant.created" && number > recordedAfter && !actors.has(number);
    return isByProgram ? "program" : actors.get(number);
  });
}

/** The last number from before anybody was recorded. */
async function lastUnrecorded(db: Queries): Promise<bigint> {
  const number = sql<string>`CAST(number AS text)`.as("last");
  const mark = db.selectFrom("number_marks").select(number).where("at", "=", -1);
  return BigInt((await mark.executeTakeFirst())?.last ?? 0);
}
