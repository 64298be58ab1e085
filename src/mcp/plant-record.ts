import { z } from "zod";
import type { StoredPlant } from "#client/plant.ts";
import { PLANT_ID_RANGE, parsePlantId } from "#contract/plant-id.ts";
import { DESCRIPTIONS, type PlantMember, withOptional } from "#contract/plant-members.ts";
import { shortened } from "./answer-size.ts";

/** A plant as the tools return it: the id as a string, very long texts shortened. */
export const plantRecord = z.object({
  id: z.string(),
  ...withOptional({ name: z.string() }, (member) => z.string().nullable().describe(`null for no ${member}`)),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PlantRecord = z.output<typeof plantRecord>;

export function recordOf(plant: StoredPlant): PlantRecord {
  const { id, name, createdAt, updatedAt } = plant;
  return {
    id: String(id),
    ...withOptional({ name: shortened(name) }, (member) => shortenedOrNull(plant[member])),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function shortenedOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : shortened(text);
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
const describedText = (member: PlantMember) => z.string().describe(`${DESCRIPTIONS[member]}.`);
const nameText = describedText("name");

/** Strict, so that a member that the tools do not know is refused. */
export const newPlant = z.strictObject({
  id: idText,
  ...withOptional({ name: nameText }, (member) => describedText(member).optional()),
});

/** A change, or a record of import_plants. Of a plant that is there, omitted members stay as they are. */
export const plantUpdate = z.strictObject({
  id: idText,
  ...withOptional({ name: nameText.optional() }, (member) =>
    z.string().nullable().optional().describe(`${DESCRIPTIONS[member]}; null removes it in an update.`),
  ),
});
