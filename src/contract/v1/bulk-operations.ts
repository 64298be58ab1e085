import { EXAMPLE_TEXTS } from "#core/plant-members.ts";
import { BULK_ERRORS } from "../limits.ts";
import { answer, contentOf, operations } from "../openapi/operation.ts";
import { countParameter, queryParameter } from "../openapi/parameter.ts";
import { timestamp } from "../timestamp.ts";
import { CSV_HEADER, csvRecord } from "./csv.ts";

const AT = Date.UTC(2026, 10, 21, 16, 12, 29, 885);
const TIME = timestamp(AT);

const ERRORS_MAX = countParameter(
  "errors_max",
  "The greatest number of refused records that the answer lists.",
  BULK_ERRORS,
);
const DRY_RUN = queryParameter(
  "dry_run",
  "`true`: nothing is written, and the answer says what would be, for up to 1,000,000 different ids (40902).",
  { type: "boolean", default: false },
);
const STREAMED =
  "Blank lines are skipped. If storage fails in the middle, the answer is 503 and its message names the line up to which everything is on disk; sending the whole again is safe. A sender may take any time, but must not be silent for 60 s. With a rate limit, each record that is written counts as a request, and all of these take three quarters of a token's limit at most: they are slowed down, never refused.";

export const BULK_OPERATIONS = {
  importPlants: operations("Plants", { scopes: ["plants:write"], route: "bulk" })("POST /plants/import", {
    summary: "Import plants",
    description: `Creates any number of plants from a stream of records, each as \`createPlant\` does; with \`existing=update\` changes those that are there. Records of one id apply in their order. A refused record is reported with its line and does not stop the others. ${STREAMED}`,
    errors: ["address-malformed", "body-not-a-plant", "account-limit"],
    parameters: [
      queryParameter(
        "existing",
        '`update`: a record whose id exists sets what the file has a column or member for, and leaves the rest; an empty tag cell, or `"tag": null`, removes the tag. `refuse`: it is refused with 40901 unless the plant is the same.',
        { type: "string", enum: ["refuse", "update"], default: "refuse" },
      ),
      DRY_RUN,
      ERRORS_MAX,
    ],
    requestBody: {
      required: true,
      description: "The records. One of more than 1 MiB is refused with 41301.",
      content: contentOf({
        "text/csv": ["PlantsCsv", "id,name,tag\n42,Monstera deliciosa,indoor\n"],
        "application/x-ndjson": ["PlantsNdjson", '{"id":42,"name":"Monstera deliciosa","tag":"indoor"}\n'],
      }),
    },
    responses: {
      "200": answer("All records were read; what is counted as created is on disk.", "ImportResult", {
        example: { created: 1, unchanged: 0, failed: 0, errors: [] },
      }),
    },
  }),
  removePlants: operations("Plants", { scopes: ["plants:write"], route: "bulk" })("POST /plants/remove", {
    summary: "Remove many plants",
    description: `Removes any number of plants from a stream of records, each as \`removePlant\` does. An id that is not there, the second of two equal ones too, counts as missing. A refused record is reported with its line and does not stop the others. ${STREAMED}`,
    errors: ["address-malformed", "body-not-a-plant", "account-limit"],
    parameters: [DRY_RUN, ERRORS_MAX],
    requestBody: {
      required: true,
      description: "The ids. A record of more than 1 MiB is refused with 41301.",
      content: contentOf({
        "application/x-ndjson": ["PlantIdsNdjson", '42\n{"plant_id":"9007199254740993","etag":"\\"4vz.1\\""}\n'],
        "text/csv": ["PlantIdsCsv", "id\n42\n"],
      }),
    },
    responses: {
      "200": answer("All records were read; what is counted as removed is removed on disk.", "RemovalResult", {
        example: { removed: 1, missing: 1, failed: 0, errors: [] },
      }),
    },
  }),
  exportPlants: operations("Plants", { scopes: ["plants:read"], route: "export" })("GET /plants/export", {
    summary: "Export plants",
    description:
      "Streams every plant of the account as of one moment, as NDJSON unless `Accept` prefers CSV; an `Accept` that allows neither is refused with 40601. An export whose reader stalls for 60 s is ended, and so is one that keeps more than 256 MiB of the database's write-ahead log from being used again; the connection is then closed before the body is complete, which every HTTP client reports as an error. At most 8 run at once for each account, and 120 are made in an hour (42901).",
    errors: ["not-acceptable"],
    responses: {
      "200": answer(
        "Every plant.",
        {
          "application/x-ndjson": [
            "PlantsNdjson",
            `{"id":42,"name":"Monstera deliciosa","created_at":"${TIME}","updated_at":"${TIME}"}\n`,
          ],
          "text/csv": [
            "PlantsCsv",
            CSV_HEADER + csvRecord({ id: 42n, name: EXAMPLE_TEXTS.name, createdAt: AT, updatedAt: AT }),
          ],
        },
        {
          headers: {
            Vary: "`Accept`.",
            "Content-Disposition": "A name for a file: `plants.ndjson` or `plants.csv`.",
            "Events-Cursor": "A cursor of the events from which a reader goes on after this export.",
          },
        },
      ),
    },
  }),
};
