import { z } from "zod";
import type { RefusedRecord } from "#client/bulk.ts";
import { ndjsonOf } from "#client/stream.ts";
import { ANY_MEMBER } from "#contract/plant-members.ts";
import { fitting, fittingPage, limitParameter, shortened } from "../answer-size.ts";
import { idText, newPlant, plantRecord, plantUpdate, recordOf } from "../plant-record.ts";
import { tool } from "../tool.ts";

const OUTCOMES = ["created", "was_there_already"] as const;
const IMPORTED_MAX = 500;

export const getPlant = tool({
  name: "get_plant",
  title: "Read a plant",
  description: "Reads one plant by its id. Refused with 40403 if there is none.",
  scope: "plants:read",
  input: z.strictObject({ id: idText }),
  output: plantRecord,
  async call(client, { id }) {
    return recordOf(await client.get(BigInt(id)));
  },
});

export const listPlants = tool({
  name: "list_plants",
  title: "List and search plants",
  description:
    "Lists or searches plants, page by page. A page may be shorter than its limit, or empty, and still have a next one.",
  scope: "plants:read",
  input: z.strictObject({
    q: z
      .string()
      .optional()
      .describe(
        "Only plants whose name holds all of these words, in any order, whatever their case, accents, dashes and quotes; umlauts also as ae, oe, ue.",
      ),
    tag: z.string().optional().describe("Only plants with exactly this tag; an empty text finds the empty tag."),
    order: z.enum(["id", "-created_at"]).optional().describe("By id (default), or newest first."),
    limit: limitParameter("plants"),
    cursor: z.string().optional().describe("The next_cursor of the page before."),
  }),
  output: z.object({
    plants: z.array(plantRecord),
    next_cursor: z.string().nullable().describe("Ask again with it for more; null at the end."),
  }),
  async call(client, { limit, ...query }) {
    const ask = (length: number) => client.page({ ...query, limit: length });
    const { page, items } = await fittingPage(limit, ask, ({ plants }) => plants.map(recordOf));
    return { plants: items, next_cursor: page.nextCursor };
  },
});

export const addPlant = tool({
  name: "add_plant",
  title: "Add a plant",
  description:
    "Adds a plant to the store. Adding the same plant again changes nothing. Refused with 40901 if another plant has the id.",
  scope: "plants:write",
  input: newPlant,
  output: z.object({ id: z.string(), outcome: z.enum(OUTCOMES) }),
  async call(client, { id, ...texts }) {
    const { replayed } = await client.create({ id: BigInt(id), ...texts });
    return { id, outcome: replayed ? OUTCOMES[1] : OUTCOMES[0] };
  },
});

export const editPlant = tool({
  name: "edit_plant",
  title: "Change a plant",
  description: `Changes a plant's ${ANY_MEMBER}; what is left out stays as it is. Refused with 40403 if there is no such plant.`,
  scope: "plants:write",
  isDestructive: true,
  input: plantUpdate,
  output: z.object({
    id: z.string(),
    plant: plantRecord.nullable().describe("The plant after the change; null if the token may not read."),
  }),
  async call(client, { id, ...texts }) {
    const plant = await client.change(BigInt(id), texts);
    return { id, plant: plant ? recordOf(plant) : null };
  },
});

export const removePlant = tool({
  name: "remove_plant",
  title: "Remove a plant",
  description:
    "Removes a plant from the store. To undo it, create the plant again as plant_history shows it. Refused with 40403 if there is none.",
  scope: "plants:write",
  isDestructive: true,
  input: z.strictObject({ id: idText }),
  output: z.object({ id: z.string(), removed: z.literal(true) }),
  async call(client, { id }) {
    await client.remove(BigInt(id));
    return { id, removed: true as const };
  },
});

const dryRun = z.boolean().optional().describe("True to write nothing, and count what would be.");
const refusedRecords = z.array(z.object({ id: z.string(), error: z.int(), message: z.string() }));

export const importPlants = tool({
  name: "import_plants",
  title: "Add or change many plants",
  description: `Adds up to ${IMPORTED_MAX} plants in one call, each as add_plant does; with existing: "update" changes those that are there. A plant that is refused does not stop the others; the first refused ones are listed.`,
  scope: "plants:write",
  isDestructive: true,
  input: z.strictObject({
    plants: z.array(plantUpdate).min(1).max(IMPORTED_MAX),
    existing: z
      .enum(["refuse", "update"])
      .optional()
      .describe(
        `What becomes of a plant that is there with another ${ANY_MEMBER}: refuse (default), or update what is given.`,
      ),
    dry_run: dryRun,
  }),
  output: z.object({
    created: z.int(),
    updated: z.int(),
    unchanged: z.int(),
    failed: z.int(),
    refused: refusedRecords,
  }),
  async call(client, { plants, existing, dry_run: isDry }) {
    const sent = plants.map(({ id, ...texts }) => ({ id: BigInt(id), ...texts }));
    const text = ndjsonOf(sent);
    const summary = await client.importPlants(text, { format: "ndjson", existing, dryRun: isDry });
    const { created, updated, unchanged, failed, refused } = summary;
    const ids = plants.map(({ id }) => id);
    return { created, updated, unchanged, failed, refused: told(refused, ids) };
  },
});

export const removePlants = tool({
  name: "remove_plants",
  title: "Remove many plants",
  description: `Removes up to ${IMPORTED_MAX} plants in one call, each as remove_plant does. Ids that are not there are counted as missing. Try it with dry_run first.`,
  scope: "plants:write",
  isDestructive: true,
  input: z.strictObject({ ids: z.array(idText).min(1).max(IMPORTED_MAX), dry_run: dryRun }),
  output: z.object({ removed: z.int(), missing: z.int(), failed: z.int(), refused: refusedRecords }),
  async call(client, { ids, dry_run: isDry }) {
    const summary = await client.removeMany(ids.map(BigInt), { dryRun: isDry });
    const { removed, missing, failed, refused } = summary;
    return { removed, missing, failed, refused: told(refused, ids) };
  },
});

/** The refused records that fit in an answer, by the ids on their lines. */
function told(refused: readonly RefusedRecord[], ids: readonly string[]): z.output<typeof refusedRecords> {
  const records = refused.map(({ line, error, message }) => ({
    id: ids[line - 1] ?? "",
    error,
    message: shortened(message),
  }));
  return records.slice(0, fitting(records));
}
