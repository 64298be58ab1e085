import { ERRORS } from "../errors.ts";
import { SHAPE_1 } from "../v1/shape.ts";
import { VERSION } from "../v1/version.ts";
import { VERSION_SEGMENTS, versionPrefix } from "../version.ts";
import { commonHeaders, documented, errorResponses, type Operation } from "./operation.ts";
import { SERVICE_OPERATIONS } from "./service-operations.ts";

const DESCRIPTION = `Keeps the catalogue of a plant store: exact to the last digit of an id, durable, safe to retry.

Every answer with a status of 400 or above has an Error as its body. HEAD is answered like GET, without the body. Every address answers OPTIONS.

A request is checked in this order, and refused by the first check that fails: address (404), method (405), token (401), scope (403), rate (429), content type (415), size (413), body and parameters (400), conditions and \`Accept\` (406, 412), and then the store (404, 409, 503).

Clients ignore members, headers, error numbers and enum values that they do not know: adding one is no new version.

Requests must not be pipelined: one that is sent before the answer to the one before may be cut off unanswered. It is never executed in half, and is safe to repeat.`;

const WEBHOOK_REQUESTS = `The requests that a webhook endpoint gets: each event at least once, and in no order. They are signed according to Standard Webhooks. Verify the signature over the bytes of the body, before you read them.

Any answer of 200 to 299 within 15 s is a success, 410 disables the endpoint, and after anything else the event is sent again.`;

/** The published description of the API: OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). */
export function openApiDocument(origin: string) {
  return {
    openapi: "3.1.1",
    info: {
      title: "Plantstore",
      version: VERSION,
      summary: "The catalogue of a plant store.",
      description: DESCRIPTION,
      contact: { name: "The operator of this service", url: `${origin}/docs` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: origin, description: "This service." }],
    tags: [
      { name: "Plants", description: "The plants of the account that the token belongs to." },
      { name: "Events", description: "What happened to the account's plants, in order." },
      { name: "Webhooks", description: "Addresses that events are sent to, signed according to Standard Webhooks." },
      { name: "Tokens", description: "The token that a request is sent with. Tokens are made in the dashboard." },
      { name: "Webhook requests", description: WEBHOOK_REQUESTS },
      { name: "Service", description: "The state of the service, and this description. No token is needed." },
      { name: "Errors", description: errorTable() },
    ],
    paths: pathsOf(),
    webhooks: SHAPE_1.webhookRequests(),
    components: {
      schemas: SHAPE_1.schemas(),
      headers: commonHeaders(VERSION),
      responses: errorResponses(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "`Authorization: Bearer <ACCESS_TOKEN>`. The account holder creates a token in the Developer tab of the dashboard. Scopes: `plants:read` and `plants:write` (both by default), `webhooks:manage`.",
        },
      },
    },
  };
}

function pathsOf(): Record<string, object> {
  const paths: Record<string, object> = {};
  const add = (prefix: string, operations: Readonly<Record<string, Operation>>) => {
    for (const [id, operation] of Object.entries(operations)) {
      const [method = "", path] = operation.address.split(" ");
      const item = paths[prefix + path] ?? (operation.ofPath ? { parameters: [operation.ofPath] } : {});
      paths[prefix + path] = { ...item, [method.toLowerCase()]: documented(id, operation) };
    }
  };
  add(versionPrefix(VERSION_SEGMENTS[0]), SHAPE_1.operations);
  add("", SERVICE_OPERATIONS);
  return paths;
}

function errorTable(): string {
  const rows = Object.values(ERRORS).map(({ error, status, when }) => `| ${error} | ${status} | ${when} |`);
  return [
    "`error` is the HTTP status times 100 plus a number. A number once published never changes its meaning.",
    "",
    "| error | status | when |",
    "|---|---|---|",
    ...rows,
    "| S01 | S | any other status S |",
  ].join("\n");
}
