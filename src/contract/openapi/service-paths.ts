import { answer } from "./operation.ts";
import { answerHeaders, REFUSED, schemaReference } from "./responses.ts";

/** The addresses without a version. None needs a token. */
export function servicePaths(): Record<string, object> {
  return {
    "/healthz": {
      get: operation("getHealth", "Check that the process is running", {
        description: "Answers 200 while the process is running, also while it shuts down.",
        success: answer("The process is running.", { schema: "Health", example: { status: "ok" } }),
      }),
    },
    "/readyz": {
      get: operation("getReadiness", "Check that the service is ready", {
        description:
          "Answers 503 (50301) while the service shuts down or its storage cannot be written. `details` names what an " +
          "operator should mend although the service works, such as a missing search index.",
        success: answer("The service is ready.", { schema: "Health", example: { status: "ready" } }),
      }),
    },
    "/openapi.json": {
      get: operation("getOpenApiJson", "Read this document as JSON", {
        description: "This OpenAPI document. Its server is the address under which the service was reached.",
        success: answer("The document.", { schema: "OpenApiDocument" }),
      }),
    },
    "/openapi.yaml": {
      get: operation("getOpenApiYaml", "Read this document as YAML", {
        description: "This OpenAPI document.",
        success: document("The document.", "application/yaml", "OpenApiDocument"),
      }),
    },
    "/docs": {
      get: operation("getReference", "Browse this document", {
        description: "The reference of the interface as a page, served by this host alone.",
        success: document("The page.", "text/html", "ReferencePage"),
      }),
    },
  };
}

function operation(
  operationId: string,
  summary: string,
  { description, success }: { readonly description: string; readonly success: object },
): object {
  const tags = ["Service"];
  return { operationId, tags, summary, description, security: [], responses: { "200": success, ...REFUSED } };
}

function document(description: string, mediaType: string, schema: string): object {
  return { description, headers: answerHeaders(), content: { [mediaType]: { schema: schemaReference(schema) } } };
}
