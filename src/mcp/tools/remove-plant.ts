import { z } from "zod";
import { idOf, idText } from "../id-text.ts";
import type { Tool } from "../tool.ts";

const input = z.strictObject({ id: idText });
const output = z.object({ id: z.string(), removed: z.literal(true) });

export const removePlant: Tool<typeof input, typeof output> = {
  name: "remove_plant",
  title: "Remove a plant",
  description: "Removes a plant from the store; this cannot be undone. Refused with 40403 if there is none.",
  scope: "plants:write",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  input,
  output,
  async call(client, { id }) {
    await client.remove(idOf(id));
    return { id, removed: true };
  },
};
