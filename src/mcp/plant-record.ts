import { z } from "zod";
import type { StoredPlant } from "#client/plant.ts";
import { shortened } from "./answer-size.ts";

/** A plant as the tools return it: the id as a string, very long texts shortened. */
export const plantRecord = z.object({
  id: z.string(),
  name: z.string(),
  tag: z.string().nullable().describe("null for no tag"),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PlantRecord = z.output<typeof plantRecord>;

export function recordOf({ id, name, tag, createdAt, updatedAt }: StoredPlant): PlantRecord {
  return {
    id: String(id),
    name: shortened(name),
    tag: tag === undefined ? null : shortened(tag),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export const nameText = z.string().describe("The name of the plant.");
export const tagText = z.string().describe("Tag that specifies the type.");
