import { z } from "zod";
import { idOf, idText } from "../id-text.ts";
import { nameText, tagText } from "../plant-record.ts";
import type { Tool } from "../tool.ts";

const input = z.strictObject({ id: idText, name: nameText, tag: tagText.optional() });
const output = z.object({
  id: z.string(),
  outcome: z.enum(["created", "was_there_already"]),
});

export const addPlant: Tool<typeof input, typeof output> = {
  name: "add_plant",
  title: "Add a plant",
  description:
    "Adds a plant to the store. Adding the same plant again changes nothing. Refused with 40901 if another plant has the id.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input,
  output,
  async call(client, { id, name, tag }) {
    const { replayed } = await client.create({ id: idOf(id), name, tag });
    return { id, outcome: replayed ? "was_there_already" : "created" };
  },
};
