import { z } from "zod";
import { fittingPage, limitParameter } from "../answer-size.ts";
import { eventOf, eventRecord } from "../event-record.ts";
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
