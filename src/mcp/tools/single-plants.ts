import { z } from "zod";
import { idText, nameText, newPlant, plantRecord, recordOf, tagText } from "../plant-record.ts";
import { tool } from "../tool.ts";

export const getPlant = tool({
  name: "get_plant",
  title: "Read a plant",
  description: "Reads one plant by its id. Refused with 40403 if there is none.",
  scope: "plants:read",
  annotations: { readOnlyHint: true, idempotentHint: true },
  input: z.strictObject({ id: idText }),
  output: plantRecord,
  async call(client, { id }) {
    return recordOf(await client.get(BigInt(id)));
  },
});

const OUTCOMES = ["created", "was_there_already"] as const;

export const addPlant = tool({
  name: "add_plant",
  title: "Add a plant",
  description:
    "Adds a plant to the store. Adding the same plant again changes nothing. Refused with 40901 if another plant has the id.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: newPlant,
  output: z.object({ id: z.string(), outcome: z.enum(OUTCOMES) }),
  async call(client, { id, name, tag }) {
    const { replayed } = await client.create({ id: BigInt(id), name, tag });
    return { id, outcome: replayed ? OUTCOMES[1] : OUTCOMES[0] };
  },
});

export const editPlant = tool({
  name: "edit_plant",
  title: "Change a plant",
  description:
    "Changes a plant's name or tag; what is left out stays as it is. Refused with 40403 if there is no such plant.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    id: idText,
    name: nameText.optional(),
    tag: tagText.nullable().optional().describe("Tag that specifies the type; null removes it."),
  }),
  output: z.object({
    id: z.string(),
    plant: plantRecord.nullable().describe("The plant after the change; null if the token may not read."),
  }),
  async call(client, { id, name, tag }) {
    const plant = await client.change(BigInt(id), { name, tag });
    return { id, plant: plant ? recordOf(plant) : null };
  },
});

export const removePlant = tool({
  name: "remove_plant",
  title: "Remove a plant",
  description: "Removes a plant from the store; this cannot be undone. Refused with 40403 if there is none.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ id: idText }),
  output: z.object({ id: z.string(), removed: z.literal(true) }),
  async call(client, { id }) {
    await client.remove(BigInt(id));
    return { id, removed: true as const };
  },
});
