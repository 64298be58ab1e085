import { z } from "zod";
import type { StoredPlant } from "#client/plant.ts";
import { PLANT_ID_RANGE, parsePlantId } from "#contract/plant-id.ts";
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

const ID_PATTERN = /^(0|-?[1-9][0-9]{0,18})$/;
const ID_REFUSAL = `An id must be a string with all its digits, as in "9007199254740993": ${PLANT_ID_RANGE}. As a JSON number it may have been rounded`;

/**
 * An id as a string, in and out: clients of the Model Context Protocol pass numbers through doubles, which round those
 * beyond 2^53 - 1. A number within that range cannot have been rounded and is taken.
 */
export const idText = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  z
    .string({ error: ID_REFUSAL })
    .regex(ID_PATTERN, { error: ID_REFUSAL })
    .refine((text) => parsePlantId(text) !== undefined, { error: ID_REFUSAL })
    .meta({ description: "The plant's id: an integer as a string, with all its digits.", examples: ["42"] }),
);
export const nameText = z.string().describe("The name of the plant.");
export const tagText = z.string().describe("Tag that specifies the type.");

/** Strict, so that a member that the tools do not know is refused. */
export const newPlant = z.strictObject({ id: idText, name: nameText, tag: tagText.optional() });

/** A record of import_plants. With `existing: "update"`, omitted members stay as they are. */
export const importedPlant = z.strictObject({
  id: idText,
  name: nameText.optional(),
  tag: tagText.nullable().optional().describe("Tag that specifies the type; null removes it in an update."),
});
