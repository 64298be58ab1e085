import { z } from "zod";
import { PAGE_LIMIT_MAX } from "./limits.ts";

/**
 * The wire's shapes: one source for the OpenAPI document and the types of its readers. A create is checked by hand
 * (`new-plant.ts`), which a property test holds against these.
 */
const id = z.custom<bigint>().meta({
  type: "integer",
  format: "int64",
  description: "Identification number, supplied by the client: any int64, unique within the account.",
  examples: [42],
});
const name = z.string().meta({ description: "The name of the plant.", examples: ["Monstera deliciosa"] });
const tag = z.string().meta({ description: "Tag that specifies the type.", examples: ["indoor"] });
const time = z.string().meta({ format: "date-time", description: "RFC 3339, UTC, milliseconds." });

export const newPlantSchema = z
  .object({ id, name, tag: tag.optional() })
  .meta({ id: "NewPlant", description: "A plant to create. Unknown members are ignored." });

export const plantSchema = z
  .object({ name, tag: tag.optional() })
  .meta({ id: "Plant", description: "A plant as the answer to its creation." });

export const keptPlantSchema = z
  .object({ id, name, tag: tag.optional(), created_at: time, updated_at: time })
  .meta({ id: "KeptPlant", description: "A plant as it is kept." });

export const plantPatchSchema = z
  .object({
    id: id.optional().meta({ description: "If given, it must be the plant's own." }),
    name: name.optional(),
    tag: tag.nullable().optional().meta({ description: "null removes the tag." }),
  })
  .meta({ id: "PlantPatch", description: "A JSON merge patch (RFC 7396): what is left out stays as it is." });

export const plantPageSchema = z
  .object({
    data: z.array(keptPlantSchema).max(PAGE_LIMIT_MAX),
    next_cursor: z.string().nullable().meta({ description: "The `cursor` of the next page; null at the end." }),
  })
  .meta({ id: "PlantPage" });

export const importResultSchema = z
  .object({
    created: z.int().min(0),
    unchanged: z.int().min(0).meta({ description: "Records that were there already, just so." }),
    failed: z.int().min(0),
    errors: z.array(
      z.object({
        line: z.int().min(1).meta({ description: "The record's first line, counted from 1 as an editor does." }),
        error: z.int(),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: "ImportResult" });

export const errorSchema = z
  .object({
    error: z.int32().meta({ format: "int32", description: "The HTTP status times 100 plus a number." }),
    message: z.string().meta({ description: "One sentence: what is wrong, where, and what would be right." }),
  })
  .meta({ id: "Error" });
