import { z } from "zod";
import { idText } from "../plant-record.ts";
import { tool } from "../tool.ts";

export const removePlant = tool({
  name: "remove_plant",
  title: "Remove a plant",
  description:
    "Removes a plant from the store. To undo it, create the plant again as plant_history shows it. Refused with 40403 if there is none.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ id: idText }),
  output: z.object({ id: z.string(), removed: z.literal(true) }),
  async call(client, { id }) {
    await client.remove(BigInt(id));
    return { id, removed: true as const };
  },
});
