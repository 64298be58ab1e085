import { z } from "zod";
import { PAGE_LIMIT_MAX } from "../limits.ts";

/**
 * The schemas of the wire, from which the OpenAPI document is made. A create is checked by hand (`new-plant.ts`); a
 * property test compares that check with these schemas.
 */
const id = z.custom<bigint>().meta({
  type: "integer",
  format: "int64",
  description:
    "Identification number, supplied by the client: any int64, unique within the account. JavaScript's numbers hold integers only up to 9007199254740991 (2^53 - 1); a client in JavaScript must read the digits from the JSON text, as the client of this service does, whose ids are bigints.",
  examples: [42],
});
const TEXT =
  "Any Unicode text, the empty one too, other than U+0000 and lone surrogates (`\\ud800`), which are refused with 40003; it is kept code point by code point.";
const name = z.string().meta({ description: `The name of the plant. ${TEXT}`, examples: ["Monstera deliciosa"] });
const tag = z.string().meta({ description: `Tag that specifies the type. ${TEXT}`, examples: ["indoor"] });
/** A time in RFC 3339, which that sentence tells the meaning of. */
export const time = (description: string) =>
  z.string().meta({
    format: "date-time",
    description: `${description} RFC 3339, UTC, milliseconds.`,
    examples: ["2026-11-21T16:12:29.885Z"],
  });
/** The members that say when a record came to be and was last changed. */
export const times = {
  created_at: time("The time of its creation."),
  updated_at: time("The time of its last change."),
};
const errorNumber = z.int32().meta({
  format: "int32",
  description:
    "The HTTP status times 100 plus a number. New numbers may be added; one that is published never changes its meaning.",
  examples: [40901],
});
const errorMessage = z.string().meta({
  description: "One sentence for a person: the problem, where it is (member, line, column), and how to correct it.",
  examples: ["The id 42 is taken by another plant"],
});

/** A nullable string member, in the form that client generators handle best. */
export const nullable = (description: string, examples: readonly (string | null)[]) =>
  z.custom<string | null>().meta({ type: ["string", "null"], description, examples });

const count = (description: string, minimum = 0) =>
  z.custom<number>().meta({ type: "integer", format: "int64", minimum, description, examples: [minimum] });

const newPlantSchema = z
  .object({ id, name, tag: tag.optional() })
  .meta({ id: "NewPlant", description: "A plant to create. Unknown members are ignored." });

export const createdPlantSchema = z.object({ name, tag: tag.optional() }).meta({
  id: "CreatedPlant",
  title: "Plant",
  description: "The Plant of the interface: the answer to a create, without the id.",
});

export const keptPlantSchema = z
  .object({ id, name, tag: tag.optional(), ...times })
  .meta({ id: "KeptPlant", description: "A plant as the store keeps it." });

const plantPatchSchema = z
  .object({
    id: z.custom<bigint>().optional().meta({
      type: "integer",
      format: "int64",
      description: "If given, it must be the plant's own id.",
    }),
    name: name.optional(),
    tag: nullable(`Tag that specifies the type; null removes it. ${TEXT}`, ["outdoor", null]).optional(),
  })
  .meta({ id: "PlantPatch", description: "A JSON merge patch (RFC 7396): members that are left out stay unchanged." });

export const plantPageSchema = z
  .object({
    data: z.array(keptPlantSchema).max(PAGE_LIMIT_MAX).meta({ description: "The plants of this page." }),
    next_cursor: nullable("The `cursor` of the next page; null on the last page.", [null]),
  })
  .meta({ id: "PlantPage", description: "One page of plants." });

const importErrorSchema = z
  .object({
    line: count("The record's first line, counted from 1 as an editor does.", 1),
    error: errorNumber,
    message: errorMessage,
  })
  .meta({ id: "ImportError", description: "A record that was refused." });

const importResultSchema = z
  .object({
    created: count("Records that created a plant."),
    unchanged: count("Records whose plant was there already, with the same name and tag."),
    failed: count("Records that were refused."),
    errors: z
      .array(importErrorSchema)
      .meta({ description: "The first refused records, as many as `errors_max` allows." }),
  })
  .meta({ id: "ImportResult", description: "The outcome of an import." });

const healthSchema = z
  .object({
    status: z.string().meta({ description: "`ok`, or of readiness `ready`.", examples: ["ok"] }),
    details: z
      .array(z.string().meta({ description: "One sentence for each fault." }))
      .optional()
      .meta({ description: "Faults that an operator should mend, if any." }),
  })
  .meta({ id: "Health", description: "The state of the service." });

export const errorSchema = z
  .object({ error: errorNumber, message: errorMessage })
  .meta({ id: "Error", description: "A refusal: exactly these two members." });

const plantsNdjsonSchema = z.string().meta({
  id: "PlantsNdjson",
  description: "One JSON object a line (NDJSON). An import reads a NewPlant from each, an export writes a KeptPlant.",
});

const plantsCsvSchema = z.string().meta({
  id: "PlantsCsv",
  description:
    'CSV (RFC 4180) with a header. An import needs the columns `id` and `name`, may have `tag`, in any order, and ignores others; an export writes `id,name,tag,created_at,updated_at`. An empty field is no tag, `""` the empty tag.',
});

const plantOrderSchema = z
  .enum(["id", "-created_at"])
  .meta({ id: "PlantOrder", description: "`id`: by id. `-created_at`: newest first." });

const openApiSchema = z
  .custom<object>()
  .meta({ id: "OpenApiDocument", type: "object", description: "An OpenAPI 3.1 document." });

const referencePageSchema = z.string().meta({ id: "ReferencePage", description: "A page of HTML." });

/** In the order of the document. */
export const PLANT_SCHEMAS: readonly z.ZodType[] = [
  newPlantSchema,
  createdPlantSchema,
  keptPlantSchema,
  plantPatchSchema,
  plantOrderSchema,
  plantPageSchema,
  importErrorSchema,
  importResultSchema,
  plantsNdjsonSchema,
  plantsCsvSchema,
  healthSchema,
  openApiSchema,
  referencePageSchema,
  errorSchema,
];
