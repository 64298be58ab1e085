import { z } from "zod";
import { newPlant } from "../plant-record.ts";
import { tool } from "../tool.ts";

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
