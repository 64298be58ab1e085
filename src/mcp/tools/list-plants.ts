import { z } from "zod";
import { fittingPage, limitParameter } from "../answer-size.ts";
import { plantRecord, recordOf } from "../plant-record.ts";
import { tool } from "../tool.ts";

const input = z.strictObject({
  q: z
    .string()
    .optional()
    .describe("Only plants whose name holds all of these words, in any order, upper and lower case alike."),
  tag: z.string().optional().describe("Only plants with exactly this tag; an empty text finds the empty tag."),
  order: z.enum(["id", "-created_at"]).optional().describe("By id (default), or newest first."),
  limit: limitParameter("plants"),
  cursor: z.string().optional().describe("The next_cursor of the page before."),
});
const output = z.object({
  plants: z.array(plantRecord),
  next_cursor: z.string().nullable().describe("Ask again with it for more; null at the end."),
});

export const listPlants = tool({
  name: "list_plants",
  title: "List and search plants",
  description:
    "Lists or searches plants, page by page. A page may be shorter than its limit, or empty, and still have a next one.",
  scope: "plants:read",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input,
  output,
  async call(client, { limit, ...query }) {
    const ask = (length: number) => client.page({ ...query, limit: length });
    const { page, items } = await fittingPage(limit, ask, ({ plants }) => plants.map(recordOf));
    return { plants: items, next_cursor: page.nextCursor };
  },
});
