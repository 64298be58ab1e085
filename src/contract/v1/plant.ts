import type { EventPlant } from "#core/event.ts";
import type { NewPlant, Plant } from "#core/plant.ts";
import { timestamp } from "../timestamp.ts";

/** The Plant shape of the interface, the answer to a create: `name`, and `tag` if there is one; never `id`. */
export function plantBody(plant: Pick<NewPlant, "name" | "tag">): string {
  return plant.tag === undefined
    ? `{"name":${JSON.stringify(plant.name)}}`
    : `{"name":${JSON.stringify(plant.name)},"tag":${JSON.stringify(plant.tag)}}`;
}

/** A stored plant in an answer. `plant_id` is the id for readers whose numbers round. */
export function keptPlantBody(plant: EventPlant): string {
  return bodyOf(plant, `,"plant_id":"${plant.id}"`);
}

/** The plant of an event, which has its `plant_id` beside it. */
export function eventPlantBody(plant: EventPlant): string {
  return bodyOf(plant, "");
}

/** It is assembled by hand because JSON.stringify accepts no bigint. */
function bodyOf(plant: EventPlant, plantId: string): string {
  const tag = plant.tag === undefined ? "" : `,"tag":${JSON.stringify(plant.tag)}`;
  const created = timestamp(plant.createdAt);
  const updated = plant.updatedAt === plant.createdAt ? created : timestamp(plant.updatedAt);
  const times = `,"created_at":"${created}","updated_at":"${updated}"`;
  return `{"id":${plant.id},"name":${JSON.stringify(plant.name)}${tag}${times}${plantId}}`;
}

export function keptPlantLine(plant: EventPlant): string {
  return `${keptPlantBody(plant)}\n`;
}

/** A page of a list. `nextCursor` starts the next page, and is null on the last one. */
export function plantPageBody(plants: readonly Plant[], nextCursor: string | null): string {
  return `{"data":[${plants.map(keptPlantBody).join(",")}],"next_cursor":${JSON.stringify(nextCursor)}}`;
}
