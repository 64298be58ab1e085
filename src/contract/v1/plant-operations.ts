import { SEARCH_WORDS_MAX } from "#core/plant-filter.ts";
import { ALL_MEMBERS, ANY_MEMBER, EXAMPLE_TEXTS } from "#core/plant-members.ts";
import { PLANT_IDS_MAX } from "../limits.ts";
import { answer, jsonBody, mergePatch, operations } from "../openapi/operation.ts";
import {
  cursorParameter,
  headerParameter,
  limitParameter,
  pathParameter,
  queryParameter,
} from "../openapi/parameter.ts";

const TIME = "2026-11-21T16:12:29.885Z";
const KEPT = { id: 42, ...EXAMPLE_TEXTS, created_at: TIME, updated_at: TIME, plant_id: "42" } as const;
const PLANT_ID = {
  ...pathParameter(
    "id",
    "The plant's id as a canonical decimal: no sign but `-`, no leading zero. Beyond 2^53 - 1 JavaScript's numbers lose digits; write such an id into the address as text.",
    { type: "integer", format: "int64" },
  ),
  example: 42,
};

const READING = { scopes: ["plants:read"] } as const;
const WRITING = { scopes: ["plants:write"] } as const;
const OF_ONE = { ofPath: PLANT_ID, errors: ["address-malformed", "plant-unknown", "precondition-failed"] } as const;
const reading = operations("Plants", READING);
const writing = operations("Plants", WRITING);
const readingOne = operations("Plants", { ...READING, ...OF_ONE });
const writingOne = operations("Plants", { ...WRITING, ...OF_ONE });

const ETAG = '"4vz.1"';
const IF_MATCH = headerParameter("If-Match", "Only if the plant is still this version (its `ETag`), else 41201.", ETAG);
const ifNoneMatch = (outcome: string) =>
  headerParameter("If-None-Match", `If the plant is still this version (its \`ETag\`), ${outcome}.`, ETAG);

const IF_NONE = headerParameter(
  "If-None-Match",
  "`*`: only if there is no plant with this id. A version (`ETag`): only if the plant is not that. Else 41201.",
  "*",
);

export const PLANT_OPERATIONS = {
  createPlant: writing("POST /plants", {
    route: "create",
    summary: "Create a plant",
    description: `Creates a plant. A 200 means that it is on disk. The same create again is answered 200 and writes nothing, so a client may repeat any create whose answer it did not see; the same id with another ${ANY_MEMBER} is refused with 40901, and its message says whether they differ in form alone. A body of \`application/x-ndjson\` or \`text/csv\` is read as by \`importPlants\`.`,
    errors: ["id-taken"],
    parameters: [
      headerParameter(
        "Prefer",
        "`handling=strict` (RFC 7240): members that would be ignored are refused with 40003. `Preference-Applied` says so.",
        "handling=strict",
      ),
    ],
    requestBody: jsonBody("NewPlant", "The plant.", true, { id: 42, ...EXAMPLE_TEXTS }),
    responses: {
      "200": answer("The plant is on disk.", "CreatedPlant", {
        example: EXAMPLE_TEXTS,
        headers: {
          "Idempotent-Replayed": "`true` if the plant was there already and nothing was written.",
          "Preference-Applied": "`handling=strict` if the request preferred it.",
        },
        links: plantLinks("$request.body#/id"),
      }),
    },
  }),
  listPlants: reading("GET /plants", {
    route: "list",
    summary: "List and search plants",
    description:
      "One page of the account's plants. Follow `next_cursor` until it is null: a page may hold fewer plants than `limit`, or (just after a large import) none, and still not be the last. A plant is listed as soon as its create was answered. A list has no `ETag`, and its plants have no version: `GET /plants/{id}` answers it, for `If-Match`. With `Accept: application/x-ndjson` or `text/csv` the answer is that of `exportPlants`, which takes no parameter; an `Accept` that allows none of the three is refused with 40601.",
    errors: ["address-malformed", "not-acceptable"],
    parameters: [
      limitParameter("The greatest number of plants on the page."),
      cursorParameter("The start of the page: `next_cursor` of the page before."),
      queryParameter("tag", "Only plants with exactly this tag; an empty value finds the empty tag.", {
        type: "string",
      }),
      queryParameter(
        "q",
        `Only plants whose name contains every one of these words, in any order and also inside longer words, as people type them: upper and lower case, accents, dashes, apostrophes, quotation marks and blanks of any kind are alike, as are × and x, ß and ss; ä, ö and ü are found as a, o and u, and as ae, oe and ue, both ways. Ids are not searched. Words are separated by white space; there may be ${SEARCH_WORDS_MAX} different ones.`,
        { type: "string" },
      ),
      queryParameter("order", "The order of the list.", { $ref: "#/components/schemas/PlantOrder" }),
      {
        ...queryParameter(
          "ids",
          `Only the plants of these ids, in their order, each once; with \`tag\` alone beside it. The answer has those that there are, up to 4 MiB of text, and no next page.`,
          {
            type: "array",
            items: { type: "integer", format: "int64" },
            minItems: 1,
            maxItems: PLANT_IDS_MAX,
          },
        ),
        style: "form",
        explode: false,
      },
    ],
    responses: {
      "200": answer("A page of plants.", "PlantPage", {
        example: { data: [KEPT], next_cursor: null },
        headers: {
          Link: '`rel="next"`: the next page, if there is one (RFC 8288).',
          Vary: "`Accept`.",
          "Events-Cursor": "A cursor of the events from which a reader continues after this page.",
        },
        links: {
          NextPage: link("listPlants", { cursor: "$response.body#/next_cursor" }, "The next page."),
          FirstPlant: link("getPlant", { id: "$response.body#/data/0/id" }, "The first plant of the page."),
        },
      }),
    },
  }),
  getPlant: readingOne("GET /plants/{id}", {
    route: "read",
    summary: "Read a plant",
    description: "Reads one plant. Refused with 40403 if there is none.",
    parameters: [ifNoneMatch("the answer is 304"), IF_MATCH],
    responses: {
      "200": keptPlant("The plant."),
      "304": answer("`If-None-Match` names the plant's current version.", undefined, {
        headers: { ETag: "The version of the plant." },
      }),
    },
  }),
  putPlant: operations("Plants", {
    ...WRITING,
    ofPath: PLANT_ID,
    errors: ["address-malformed", "precondition-failed"],
  })("PUT /plants/{id}", {
    route: "change",
    summary: "Create or replace a plant",
    description: `Makes the plant of that id what the body says: creates it (201), or replaces its ${ALL_MEMBERS} (200). The id is text in the address, for programs whose numbers round. The same values again write nothing. A token without \`plants:read\` is answered 201 without a body, or 204.`,
    parameters: [IF_MATCH, IF_NONE],
    requestBody: jsonBody("PlantPut", "The plant.", true, EXAMPLE_TEXTS),
    responses: {
      "200": keptPlant("The plant, replaced or as it was.", {
        "Idempotent-Replayed": "`true` if the plant was like this already and nothing was written.",
      }),
      "201": keptPlant("The plant, created."),
      "204": answer("The plant is replaced or as it was, and the token may not read it.", undefined, {
        headers: { ETag: "The version of the plant." },
      }),
    },
  }),
  changePlant: writingOne("PATCH /plants/{id}", {
    route: "change",
    summary: "Change a plant",
    description: `Changes the ${ANY_MEMBER} by a JSON merge patch (RFC 7396), sent as \`application/json\` or \`application/merge-patch+json\`. A token without \`plants:read\` is answered 204.`,
    parameters: [IF_MATCH, ifNoneMatch("the change is refused with 41201")],
    requestBody: mergePatch("PlantPatch", { name: "Swiss cheese plant", tag: null }),
    responses: {
      "200": keptPlant("The plant after the change."),
      "204": answer("The plant is changed, and the token may not read it."),
    },
  }),
  removePlant: writingOne("DELETE /plants/{id}", {
    route: "remove",
    summary: "Remove a plant",
    description: "Removes a plant. Refused with 40403 if there is none.",
    parameters: [IF_MATCH, ifNoneMatch("the removal is refused with 41201")],
    responses: { "204": answer("The plant is removed.") },
  }),
};

function keptPlant(description: string, headers: Readonly<Record<string, string>> = {}): object {
  return answer(description, "KeptPlant", {
    example: KEPT,
    headers: {
      ETag: "The version of the plant: another one after every change (RFC 9110, 8.8.3).",
      "Cache-Control": "`private, no-cache`.",
      ...headers,
    },
    links: plantLinks("$response.body#/id"),
  });
}

/** Links from an answer to the operations on its plant, for test tools that follow them. */
function plantLinks(id: string): object {
  return {
    ReadPlant: link("getPlant", { id }, "Reads the plant."),
    ChangePlant: link("changePlant", { id }, "Changes the plant."),
    RemovePlant: link("removePlant", { id }, "Removes the plant."),
  };
}

function link(operationId: string, parameters: object, description: string): object {
  return { operationId, parameters, description };
}
