import { headers, refusals } from "./responses.ts";

/** Addresses beside the versioned ones; none needs a token. */
export function servicePaths(baseUrl: string): Record<string, object> {
  const servers = [{ url: baseUrl === "" ? "/" : baseUrl }];
  const outside = { servers };
  return {
    "/healthz": { ...outside, get: health("isAlive", "Whether the process lives", []) },
    "/readyz": { ...outside, get: health("isReady", "Whether it takes work", [503]) },
    "/openapi.json": { ...outside, get: description("getOpenApiJson", "This description as JSON", "application/json") },
    "/openapi.yaml": { ...outside, get: description("getOpenApiYaml", "This description as YAML", "application/yaml") },
    "/docs": { ...outside, get: description("readReference", "This description to browse", "text/html") },
  };
}

function health(operationId: string, summary: string, refused: readonly number[]): object {
  const schema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
  return {
    operationId,
    tags: ["Service"],
    summary,
    security: [],
    responses: {
      "200": { description: "Yes.", headers: headers(), content: { "application/json": { schema } } },
      ...refusals(405, ...refused),
    },
  };
}

function description(operationId: string, summary: string, mediaType: string): object {
  const schema = mediaType === "application/json" ? { type: "object" } : { type: "string" };
  return {
    operationId,
    tags: ["Service"],
    summary,
    security: [],
    responses: {
      "200": { description: "The description.", headers: headers(), content: { [mediaType]: { schema } } },
      ...refusals(405),
    },
  };
}
