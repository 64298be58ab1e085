import { BULK_ERRORS } from "../limits.ts";
import { answer, contentOf, operations } from "../openapi/operation.ts";
import { countParameter } from "../openapi/parameter.ts";

const TIME = "2026-11-21T16:12:29.885Z";

export const BULK_OPERATIONS = {
  importPlants: operations("Plants", { scopes: ["plants:write"], route: "bulk" })("POST /plants/import", {
    summary: "Import plants",
    description:
      "Creates any number of plants from a stream of records, each as `createPlant` does. A refused record is reported with its line and does not stop the others. Blank lines are skipped. If storage fails in the middle, the answer is 503 and its message names the line up to which everything is on disk; sending the whole again is safe. A sender may take any time, but must not be silent for 60 s.",
    errors: ["address-malformed", "body-not-a-plant"],
    parameters: [
      countParameter("errors_max", "The greatest number of refused records that the answer lists.", BULK_ERRORS),
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
  exportPlants: operations("Plants", { scopes: ["plants:read"], route: "export" })("GET /plants/export", {
    summary: "Export plants",
    description:
      "Streams every plant of the account as of one moment, as NDJSON unless `Accept` prefers CSV; an `Accept` that allows neither is refused with 40601. An export whose reader stalls for 60 s is ended, and so is one that keeps more than 256 MiB of the database's write-ahead log from being used again; the end is a cut, which is no whole body of HTTP. At most 8 run at once for each account, and 120 are made in an hour (42901).",
    errors: ["not-acceptable"],
    responses: {
      "200": answer(
        "Every plant.",
        {
          "application/x-ndjson": [
            "PlantsNdjson",
            `{"id":42,"name":"Monstera deliciosa","created_at":"${TIME}","updated_at":"${TIME}"}\n`,
          ],
          "text/csv": ["PlantsCsv", `id,name,tag,created_at,updated_at\r\n42,Monstera deliciosa,,${TIME},${TIME}\r\n`],
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
