import { z } from "zod";
import {
  ALL_MEMBERS,
  DESCRIPTIONS,
  EXAMPLE_TEXTS,
  OPTIONAL_NAMES,
  type PlantMember,
  withOptional,
} from "#core/plant-members.ts";
import { PAGE_LIMIT } from "../limits.ts";
import { CSV_HEADER } from "./csv.ts";

/**
 * The named schemas of the wire, in the order of the OpenAPI document, which is made from them. A create is checked by
 * hand (`new-plant.ts`); a property test compares that check with these schemas.
 */
export const COMPONENTS: z.ZodType[] = [];

/** Adds a named schema to the document, where `more` stands before its description. */
export function component<Schema extends z.ZodType>(id: string, description: string, schema: Schema, more?: object) {
  const named = schema.meta({ id, ...more, description });
  COMPONENTS.push(named);
  return named;
}

export function object<Members extends z.core.$ZodLooseShape>(id: string, description: string, members: Members) {
  return component(id, description, z.object(members));
}

export const text = (description: string, more?: object) => z.string().meta({ description, ...more });

export const list = <Item extends z.ZodType>(item: Item, description: string) => z.array(item).meta({ description });

const int64 = (more: object) => z.custom<bigint>().meta({ type: "integer", format: "int64", ...more });

const id = int64({
  description:
    "Identification number, supplied by the client: any int64, unique within the account. JavaScript's numbers hold integers only up to 9007199254740991 (2^53 - 1); a client in JavaScript must read the digits from the JSON text, as the client of this service does, whose ids are bigints.",
  examples: [42],
});
const TEXT =
  "Any Unicode text, the empty one too, other than U+0000 and lone surrogates (`\\ud800`), which are refused with 40003; it is kept code point by code point.";
const textMember = (member: PlantMember) =>
  text(`${DESCRIPTIONS[member]}. ${TEXT}`, { examples: [EXAMPLE_TEXTS[member]] });
const name = textMember("name");
const texts = withOptional({ name }, (member) => textMember(member).optional());
/** A time in RFC 3339; the sentence says what it means. */
export const time = (sentence: string) =>
  z.string().meta({
    format: "date-time",
    description: `${sentence} RFC 3339, UTC, milliseconds.`,
    examples: ["2026-11-21T16:12:29.885Z"],
  });
/** The members that say when a record came to be and was last changed. */
export const times = {
  created_at: time("The time of its creation."),
  updated_at: time("The time of its last change."),
};
const refusal = {
  error: z.int32().meta({
    format: "int32",
    description:
      "The HTTP status times 100 plus a number. New numbers may be added; one that is published never changes its meaning.",
    examples: [40901],
  }),
  message: text("One sentence for a person: the problem, where it is (member, line, column), and how to correct it.", {
    examples: ["The id 42 is taken by another plant"],
  }),
};

/** A nullable string member, in the form that client generators handle best. */
export const nullable = (description: string, examples: readonly (string | null)[]) =>
  z.custom<string | null>().meta({ type: ["string", "null"], description, examples });

export const nextCursor = nullable("The `cursor` of the next page; null on the last page.", [null]);

const count = (description: string, minimum = 0) =>
  z.custom<number>().meta({ type: "integer", format: "int64", minimum, description, examples: [minimum] });

object(
  "NewPlant",
  "A plant to create. Unknown members are ignored, unless `Prefer: handling=strict` has them refused.",
  { id, ...texts },
);

export const createdPlantSchema = component(
  "CreatedPlant",
  "The Plant of the interface: the answer to a create, without the id.",
  z.object(texts),
  { title: "Plant" },
);

const plantId = text("The id as a decimal, for JSON parsers whose numbers round.", { examples: ["42"] });

export const keptPlantSchema = object("KeptPlant", "A plant as the store keeps it.", {
  id,
  ...texts,
  ...times,
  plant_id: plantId,
});

object("PlantPut", "A plant as it is to be. Unknown members are refused with 40003.", {
  ...texts,
  plant_id: text("If given, it must be the id of the address, and `id` is not compared.").optional(),
  id: int64({ description: "If given without `plant_id`, it must be the id of the address." }).optional(),
  created_at: z.string().meta({ description: "Ignored." }).optional(),
  updated_at: z.string().meta({ description: "Ignored." }).optional(),
});

export const eventPlantSchema = object("EventPlant", "A plant in an event, which has its id as text beside it.", {
  id,
  ...texts,
  ...times,
});

object(
  "PlantPatch",
  "A JSON merge patch (RFC 7396): members that are left out stay unchanged. Unknown members are refused.",
  {
    id: int64({ description: "If given, it must be the plant's own id." }).optional(),
    ...withOptional({ name: name.optional() }, (member) =>
      nullable(`${DESCRIPTIONS[member]}; null removes it. ${TEXT}`, [EXAMPLE_TEXTS[member], null]).optional(),
    ),
  },
);

component("PlantOrder", "`id`: by id. `-created_at`: newest first.", z.enum(["id", "-created_at"]));

export const plantPageSchema = object("PlantPage", "One page of plants.", {
  data: z.array(keptPlantSchema).max(PAGE_LIMIT.max).meta({ description: "The plants of this page." }),
  next_cursor: nextCursor,
});

const importErrorSchema = object("ImportError", "A record that was refused.", {
  line: count("The record's first line, counted from 1 as an editor does.", 1),
  ...refusal,
});

object("ImportResult", "The outcome of an import.", {
  created: count("Records that created a plant."),
  updated: count("With `existing=update`: records that changed a plant.").optional(),
  unchanged: count(`Records whose plant was there already, with the same ${ALL_MEMBERS}.`),
  failed: count("Records that were refused."),
  errors: list(importErrorSchema, "The first refused records, as many as `errors_max` allows."),
});

object("RemovalResult", "The outcome of a bulk removal.", {
  removed: count("Records that removed a plant."),
  missing: count("Records for whose id there was no plant."),
  failed: count("Records that were refused."),
  errors: list(importErrorSchema, "The first refused records, as many as `errors_max` allows."),
});

component(
  "PlantIdsNdjson",
  "One JSON value a line (NDJSON): an id, a string of its digits, or an object with `plant_id` or `id`, which must be the same where both are there, and perhaps `etag`: the only version of the plant that is removed. Other members of a plant are ignored; an unknown one is refused (40003).",
  z.string(),
);

component("PlantIdsCsv", "CSV (RFC 4180) with a header that has the column `id`; others are ignored.", z.string());

component(
  "PlantsNdjson",
  "One JSON object a line (NDJSON). An import reads a NewPlant from each, an export writes a KeptPlant.",
  z.string(),
);

component(
  "PlantsCsv",
  `CSV (RFC 4180) with a header. An import needs the columns \`id\` and \`name\`, may have ${OPTIONAL_NAMES.map((member) => `\`${member}\``).join(", ")}, in any order, and ignores others; an export writes \`${CSV_HEADER.trim()}\`. An empty field is no ${OPTIONAL_NAMES.join(" or ")}, \`""\` the empty one. Records and further fields that hold nothing are passed over, and fields that a record lacks at its end are empty.`,
  z.string(),
);

object("Health", "The state of the service.", {
  status: text("`ok`, or of readiness `ready`.", { examples: ["ok"] }),
  details: z
    .array(text("One sentence for each fault."))
    .optional()
    .meta({ description: "Faults that an operator should mend, if any." }),
});

component("OpenApiDocument", "An OpenAPI 3.1 document.", z.custom<object>(), { type: "object" });

component("ReferencePage", "A page of HTML.", z.string());

export const errorSchema = object("Error", "A refusal: exactly these two members.", refusal);
