import { z } from "zod";
import { PLANT_ID_RANGE, parsePlantId } from "#contract/plant-id.ts";

const PATTERN = "^(0|-?[1-9][0-9]{0,18})$";

const REFUSAL = `An id must be a string with all its digits, as in "9007199254740993": ${PLANT_ID_RANGE}. As a JSON number it may have been rounded`;

/**
 * An id as a string, in and out: clients of the Model Context Protocol pass numbers through doubles, which round those
 * beyond 2^53 - 1. A number within that range cannot have been rounded and is taken.
 */
export const idText = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  z
    .string({ error: REFUSAL })
    .regex(new RegExp(PATTERN), { error: REFUSAL })
    .refine((text) => parsePlantId(text) !== undefined, { error: REFUSAL })
    .meta({ description: "The plant's id: an integer as a string, with all its digits.", examples: ["42"] }),
);
