import { ERRORS } from "../errors.ts";
import { VERSION } from "../version.ts";
import { componentSchemas } from "./component-schemas.ts";
import { plantPaths } from "./plant-paths.ts";
import { commonHeaders, errorResponses } from "./responses.ts";
import { servicePaths } from "./service-paths.ts";

/** The published description of the API: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). */
export function openApiDocument(baseUrl = "") {
  return {
    openapi: "3.1.1",
    info: {
      title: "Plantstore",
      version: VERSION,
      summary: "Keeps a plant store's catalogue: exact, durable, safe to retry.",
      description: description(),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: `${baseUrl}/v1`, description: "Version 1.0.0; the same without `/v1`." }],
    security: [{ bearer: [] }],
    tags: [
      { name: "Plants", description: "The plants of the account that the token belongs to." },
      { name: "Service", description: "How the service is, and this description. No token needed." },
    ],
    paths: { ...plantPaths(), ...servicePaths(baseUrl) },
    components: {
      schemas: componentSchemas(),
      headers: commonHeaders(),
      responses: errorResponses(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "`Authorization: Bearer <ACCESS_TOKEN>`. The account holder makes a token in the Developer tab of the dashboard. Scopes: `plants:read`, `plants:write`.",
        },
      },
    },
  };
}

function description(): string {
  const rows = Object.values(ERRORS).map(({ error, status, when }) => `| ${error} | ${status} | ${when} |`);
  return [
    "Adds plants to a store, and reads them back to the last digit.",
    "",
    "A 200 means: on disk. The same create again is answered the same and writes nothing (`Idempotent-Replayed: true`), so a client may repeat any create whose answer it did not see.",
    "",
    "Every answer of 400 and above is an Error. A HEAD is answered as its GET, without the body.",
    "",
    "| error | status | when |",
    "|---|---|---|",
    ...rows,
    "| S01 | S | any other status S |",
  ].join("\n");
}
