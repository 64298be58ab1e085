import { z } from "zod";
import { idText, plantRecord, recordOf } from "../plant-record.ts";
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
