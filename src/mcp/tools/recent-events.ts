import { z } from "zod";
import type { PlantEvent } from "#client/event.ts";
import { fittingPage, limitParameter, shortened } from "../answer-size.ts";
import { plantRecord, recordOf } from "../plant-record.ts";
import { tool } from "../tool.ts";

const TYPES = ["plant.created", "plant.changed", "plant.removed"] as const;

const input = z.strictObject({
  cursor: z
    .string()
    .optional()
    .describe('Where to go on: the next_cursor of an answer before, or "latest". Without one: the oldest event kept.'),
  types: z.array(z.enum(TYPES)).optional().describe("Only events of these types."),
  limit: limitParameter("events"),
});

const eventRecord = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  plant_id: z.string(),
  plant: plantRecord.nullable().describe("After a create or a change, before a removal."),
  previous: z
    .object({ name: z.string().optional(), tag: z.string().nullable().optional() })
    .optional()
    .describe("After a change: the members that changed, as they were."),
});
const output = z.object({
  events: z.array(eventRecord),
  next_cursor: z.string().describe("Ask again with it for what happens next."),
  has_more: z.boolean(),
});

export const recentEvents = tool({
  name: "recent_events",
  title: "Read what happened to plants",
  description: "Reads the events of plants (created, changed, removed) in their order, page by page.",
  scope: "plants:read",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input,
  output,
  async call(client, { limit, ...query }) {
    const ask = (length: number) => client.eventPage({ ...query, limit: length });
    const { page, items } = await fittingPage(limit, ask, ({ events }) => events.map(eventOf));
    return { events: items, next_cursor: page.nextCursor, has_more: page.hasMore };
  },
});

function eventOf({ id, type, timestamp, plantId, plant, previous }: PlantEvent): z.output<typeof eventRecord> {
  return {
    id,
    type,
    timestamp: timestamp.toISOString(),
    plant_id: String(plantId),
    plant: plant ? recordOf(plant) : null,
    ...(previous ? { previous: shortenedTexts(previous) } : {}),
  };
}

function shortenedTexts({ name, tag }: NonNullable<PlantEvent["previous"]>): PlantEvent["previous"] {
  return {
    ...(name === undefined ? {} : { name: shortened(name) }),
    ...(tag === undefined ? {} : { tag: tag === null ? null : shortened(tag) }),
  };
}
