import { z } from "zod";
import { fitting, shortened } from "../answer-size.ts";
import { newPlant } from "../plant-record.ts";
import { tool } from "../tool.ts";

const PLANTS_MAX = 500;

const input = z.strictObject({ plants: z.array(newPlant).min(1).max(PLANTS_MAX) });
const output = z.object({
  created: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  refused: z.array(z.object({ id: z.string(), error: z.int(), message: z.string() })),
});

export const importPlants = tool({
  name: "import_plants",
  title: "Add many plants",
  description: `Adds up to ${PLANTS_MAX} plants in one call, each as add_plant does. A plant that is refused does not stop the others; the first refused ones are listed.`,
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input,
  output,
  async call(client, { plants }) {
    const sent = plants.map(({ id, name, tag }) => ({ id: BigInt(id), name, tag }));
    const { created, unchanged, failed, refused } = await client.import(sent);
    const told = refused.map(({ line, error, message }) => ({
      id: plants[line - 1]?.id ?? "",
      error,
      message: shortened(message),
    }));
    return { created, unchanged, failed, refused: told.slice(0, fitting(told)) };
  },
});
