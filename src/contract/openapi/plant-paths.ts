import { BULK_ERRORS_DEFAULT, BULK_ERRORS_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { headers, refusals } from "./responses.ts";

const ALWAYS = [500, 503] as const;
const TOKEN = [401, 403, 429] as const;
const EXPORTED_COLUMNS = "id,name,tag,created_at,updated_at";

export function plantPaths(): Record<string, object> {
  return {
    "/plants": { get: listPlants(), post: createPlant() },
    "/plants/{id}": { parameters: [plantId()], get: getPlant(), patch: changePlant(), delete: removePlant() },
  };
}

function createPlant(): object {
  return {
    operationId: "createPlant",
    tags: ["Plants"],
    summary: "Create a plant",
    description:
      "Creates a new plant in the store. As `application/x-ndjson` or `text/csv`: any number of plants, streamed, each record as one create; send a broken import again as a whole.",
    parameters: [
      query("errors_max", "In bulk: how many refused records the answer lists.", {
        type: "integer",
        minimum: 0,
        maximum: BULK_ERRORS_MAX,
        default: BULK_ERRORS_DEFAULT,
      }),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: reference("NewPlant") },
        "application/x-ndjson": {
          schema: { type: "string", description: "One NewPlant a line; blank lines are skipped." },
        },
        "text/csv": {
          schema: {
            type: "string",
            description:
              'RFC 4180 with a header of `id`, `name` and, if you like, `tag`, in any order. An empty field is no tag, `""` the empty one.',
          },
        },
      },
    },
    responses: {
      "200": {
        description: "On disk. `Idempotent-Replayed: true` if this plant was there already.",
        headers: headers({
          "Idempotent-Replayed": "`true` if nothing was written because the plant was there already.",
        }),
        content: { "application/json": { schema: { anyOf: [reference("Plant"), reference("ImportResult")] } } },
      },
      ...refusals(400, ...TOKEN, 409, 413, 415, ...ALWAYS),
    },
  };
}

function listPlants(): object {
  return {
    operationId: "listPlants",
    tags: ["Plants"],
    summary: "List, search and export plants",
    description:
      "One page of the account's plants. With `Accept: application/x-ndjson` or `text/csv`: every plant, streamed, as of one moment.",
    parameters: [
      query("limit", "Plants on a page.", {
        type: "integer",
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        default: PAGE_LIMIT_DEFAULT,
      }),
      query("cursor", "Where the page starts: `next_cursor` of the one before.", { type: "string", minLength: 1 }),
      query("tag", "Only plants with exactly this tag; `tag=` finds the empty one.", { type: "string" }),
      query("q", "Only plants with this in their name, upper and lower case alike.", { type: "string" }),
      query("order", "By id, or newest first.", { type: "string", enum: ["id", "-created_at"], default: "id" }),
    ],
    responses: {
      "200": {
        description: "A page, or the export.",
        headers: headers({ Link: '`rel="next"`: the next page, if there is one.', Vary: "`Accept`." }),
        content: {
          "application/json": { schema: reference("PlantPage") },
          "application/x-ndjson": { schema: { type: "string", description: "One KeptPlant a line." } },
          "text/csv": { schema: { type: "string", description: `Columns \`${EXPORTED_COLUMNS}\`.` } },
        },
      },
      ...refusals(400, ...TOKEN, 406, ...ALWAYS),
    },
  };
}

function getPlant(): object {
  return {
    operationId: "getPlant",
    tags: ["Plants"],
    summary: "Read a plant",
    parameters: [header("If-None-Match", "Answer 304 if the plant is still this one (its `ETag`).")],
    responses: {
      "200": keptPlant("The plant."),
      "304": {
        description: "It is still the one that `If-None-Match` names.",
        headers: headers({ ETag: "Its validator." }),
      },
      ...refusals(400, ...TOKEN, 404, ...ALWAYS),
    },
  };
}

function changePlant(): object {
  const patch = { schema: reference("PlantPatch") };
  return {
    operationId: "changePlant",
    tags: ["Plants"],
    summary: "Change a plant",
    parameters: [ifMatch()],
    requestBody: { required: true, content: { "application/merge-patch+json": patch, "application/json": patch } },
    responses: {
      "200": keptPlant("The plant as it is now."),
      ...refusals(400, ...TOKEN, 404, 412, 413, 415, ...ALWAYS),
    },
  };
}

function removePlant(): object {
  return {
    operationId: "removePlant",
    tags: ["Plants"],
    summary: "Remove a plant",
    parameters: [ifMatch()],
    responses: {
      "204": { description: "It is gone.", headers: headers() },
      ...refusals(400, ...TOKEN, 404, 412, ...ALWAYS),
    },
  };
}

function keptPlant(description: string): object {
  return {
    description,
    headers: headers({
      ETag: "Another one after every change (RFC 9110, 8.8.3).",
      "Cache-Control": "`private, no-cache`.",
    }),
    content: { "application/json": { schema: reference("KeptPlant") } },
  };
}

function plantId(): object {
  return {
    name: "id",
    in: "path",
    required: true,
    description: "A canonical decimal: no sign but `-`, no leading zero.",
    schema: { type: "integer", format: "int64" },
  };
}

function ifMatch(): object {
  return header("If-Match", "Only if the plant is still this one (its `ETag`), else 412.");
}

function header(name: string, description: string): object {
  return { name, in: "header", description, schema: { type: "string" } };
}

function query(name: string, description: string, schema: object): object {
  return { name, in: "query", description, schema };
}

function reference(schema: string): object {
  return { $ref: `#/components/schemas/${schema}` };
}
