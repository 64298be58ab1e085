import { z } from "zod";
import { fittingPage, limitParameter } from "../answer-size.ts";
import { eventOf, eventRecord } from "../event-record.ts";
import { idText } from "../plant-record.ts";
import { tool } from "../tool.ts";

const TYPES = ["plant.created", "plant.changed", "plant.removed"] as const;

export const plantHistory = tool({
  name: "plant_history",
  title: "Read what happened to a plant",
  description:
    "Reads what happened to the plants that have or had this id (created, changed, removed), newest first, page by page. Events are kept for a limited time. A plant that was removed comes back by add_plant with what the event says of it.",
  scope: "plants:read",
  input: z.strictObject({
    id: idText,
    limit: limitParameter("events"),
    cursor: z.string().optional().describe("The next_cursor of the page before."),
  }),
  output: z.object({
    events: z.array(eventRecord),
    next_cursor: z.string().nullable().describe("Ask again with it for older events; null at the end."),
  }),
  async call(client, { id, limit, cursor }) {
    const query = { plant: BigInt(id), order: "-timestamp", cursor } as const;
    const ask = (length: number) => client.eventPage({ ...query, limit: length });
    const { page, items } = await fittingPage(limit, ask, ({ events }) => events.map(eventOf));
    return { events: items, next_cursor: page.hasMore ? page.nextCursor : null };
  },
});

export const recentEvents = tool({
  name: "recent_events",
  title: "Read what happened to plants",
  description: "Reads the events of plants (created, changed, removed) in their order, page by page.",
  scope: "plants:read",
  input: z.strictObject({
    cursor: z
      .string()
      .optional()
      .describe(
        'Where to go on: the next_cursor of an answer before, or "latest". Without one: the oldest event kept.',
      ),
    types: z.array(z.enum(TYPES)).optional().describe("Only events of these types."),
    limit: limitParameter("events"),
  }),
  output: z.object({
    events: z.array(eventRecord),
    next_cursor: z.string().describe("Ask again with it for what happens next."),
    has_more: z.boolean(),
  }),
  async call(client, { limit, ...query }) {
    const ask = (length: number) => client.eventPage({ ...query, limit: length });
    const { page, items } = await fittingPage(limit, ask, ({ events }) => events.map(eventOf));
    return { events: items, next_cursor: page.nextCursor, has_more: page.hasMore };
  },
});
