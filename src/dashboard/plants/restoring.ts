import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { forEachPlant } from "./plant-data.ts";

/** A removed plant, by the event of its removal. */
export interface Removed {
  readonly id: string;
  readonly event: string;
}

/** Adds removed plants again as they were. Resolves with the ids of those that could not be, and the last reason. */
export function restorePlants(client: PlantstoreClient, removed: readonly Removed[], onCount: (done: number) => void) {
  const events = new Map(removed.map(({ id, event }) => [id, event]));
  const restore = async (id: bigint) => {
    const { plant } = await client.event(events.get(String(id)) ?? "");
    if (plant) await client.create({ id, name: plant.name, tag: plant.tag });
  };
  return forEachPlant([...events.keys()], restore, onCount);
}
