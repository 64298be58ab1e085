import { z } from "zod";
import type { PlantEvent } from "#client/event.ts";
import type { PlantChange } from "#client/plant.ts";
import { textsOf, withOptional } from "#contract/plant-members.ts";
import { plantRecord, recordOf, shortenedOrNull } from "./plant-record.ts";

export const eventRecord = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  plant_id: z.string(),
  plant: plantRecord.nullable().describe("After a create or a change, before a removal."),
  previous: z
    .object(withOptional({ name: z.string().optional() }, () => z.string().nullable().optional()))
    .optional()
    .describe("After a change: the members that changed, as they were."),
});
export function eventOf({ id, type, timestamp, plantId, plant, previous }: PlantEvent): z.output<typeof eventRecord> {
  return {
    id,
    type,
    timestamp: timestamp.toISOString(),
    plant_id: String(plantId),
    plant: plant ? recordOf(plant) : null,
    ...(previous ? { previous: shortenedTexts(previous) } : {}),
  };
}

function shortenedTexts(texts: PlantChange): PlantChange {
  return Object.fromEntries(Object.entries(textsOf(texts)).map(([member, text]) => [member, shortenedOrNull(text)]));
}
