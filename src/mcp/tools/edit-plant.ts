import { z } from "zod";
import { idText, nameText, plantRecord, recordOf, tagText } from "../plant-record.ts";
import { tool } from "../tool.ts";

const input = z.strictObject({
  id: idText,
  name: nameText.optional(),
  tag: tagText.nullable().optional().describe("Tag that specifies the type; null removes it."),
});

const output = z.object({
  id: z.string(),
  plant: plantRecord.nullable().describe("The plant after the change; null if the token may not read."),
});

export const editPlant = tool({
  name: "edit_plant",
  title: "Change a plant",
  description:
    "Changes a plant's name or tag; what is left out stays as it is. Refused with 40403 if there is no such plant.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input,
  output,
  async call(client, { id, name, tag }) {
    const plant = await client.change(BigInt(id), { name, tag });
    return { id, plant: plant ? recordOf(plant) : null };
  },
});
