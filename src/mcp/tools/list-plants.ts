import { z } from "zod";
import { fitting } from "../answer-size.ts";
import { plantRecord, recordOf } from "../plant-record.ts";
import { tool } from "../tool.ts";

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

const input = z.strictObject({
  q: z
    .string()
    .optional()
    .describe("Only plants whose name holds all of these words, in any order, upper and lower case alike."),
  tag: z.string().optional().describe("Only plants with exactly this tag; an empty text finds the empty tag."),
  order: z.enum(["id", "-created_at"]).optional().describe("By id (default), or newest first."),
  limit: z.int().min(1).max(LIMIT_MAX).optional().describe(`At most this many plants; ${LIMIT_DEFAULT} by default.`),
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
  async call(client, { limit = LIMIT_DEFAULT, ...query }) {
    for (let length = limit; ; ) {
      const page = await client.page({ ...query, limit: length });
      const plants = page.plants.map(recordOf);
      // A shorter page, so that its cursor continues right after the plants that fit.
      length = fitting(plants);
      if (length === plants.length) return { plants, next_cursor: page.nextCursor };
    }
  },
});
