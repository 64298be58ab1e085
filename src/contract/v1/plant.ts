import type { EventPlant } from "#core/event.ts";
import type { Plant } from "#core/plant.ts";
import { OPTIONAL_NAMES, type PlantTexts } from "#core/plant-members.ts";
import { timestamp } from "../timestamp.ts";

/** The Plant shape of the interface, the answer to a create: `name`, and `tag` if there is one; never `id`. */
export function plantBody(plant: PlantTexts): string {
  return `${withTexts("{", plant)}}`;
}

const OPTIONAL = OPTIONAL_NAMES.map((member) => ({ member, key: `,"${member}":` }));

/** Appends the texts as members of JSON. An optional text that the plant does not have is left out. */
function withTexts(head: string, plant: PlantTexts): string {
  let json = `${head}"name":${JSON.stringify(plant.name)}`;
  for (const { member, key } of OPTIONAL) {
    const text = plant[member];
    if (text !== undefined) json += key + JSON.stringify(text);
  }
  return json;
}

/** A stored plant in an answer. `plant_id` is the id for readers whose numbers round. */
export function keptPlantBody(plant: EventPlant): string {
  return bodyOf(plant, `,"plant_id":"${plant.id}"`);
}

/** The plant of an event, which has its `plant_id` beside it. */
export function eventPlantBody(plant: EventPlant): string {
  return bodyOf(plant, "");
}

/** The object is assembled by hand because JSON.stringify accepts no bigint. */
function bodyOf(plant: EventPlant, plantId: string): string {
  const created = timestamp(plant.createdAt);
  const updated = plant.updatedAt === plant.createdAt ? created : timestamp(plant.updatedAt);
  const times = `,"created_at":"${created}","updated_at":"${updated}"`;
  return `${withTexts(`{"id":${plant.id},`, plant)}${times}${plantId}}`;
}

export function keptPlantLine(plant: EventPlant): string {
  return `${keptPlantBody(plant)}\n`;
}

/** A page of a list. `nextCursor` starts the next page, and is null on the last one. */
export function plantPageBody(plants: readonly Plant[], nextCursor: string | null): string {
  return `{"data":[${plants.map(keptPlantBody).join(",")}],"next_cursor":${JSON.stringify(nextCursor)}}`;
}
