import { answer, operations } from "./operation.ts";

const operation = operations("Service");

/** The addresses without a version. None needs a token. */
export const SERVICE_PATHS: Readonly<Record<string, object>> = {
  "/healthz": {
    get: operation("getHealth", {
      summary: "Check that the process is running",
      description: "Answers 200 while the process is running, also while it shuts down.",
      responses: { "200": answer("The process is running.", "Health", { example: { status: "ok" } }) },
    }),
  },
  "/readyz": {
    get: operation("getReadiness", {
      summary: "Check that the service is ready",
      description:
        "Answers 503 (50301) while the service shuts down or its storage cannot be written. `details` names what an " +
        "operator should mend although the service works, such as a missing search index.",
      responses: { "200": answer("The service is ready.", "Health", { example: { status: "ready" } }) },
    }),
  },
  "/openapi.json": {
    get: operation("getOpenApiJson", {
      summary: "Read this document as JSON",
      description: "This OpenAPI document. Its server is the address under which the service was reached.",
      responses: { "200": answer("The document.", "OpenApiDocument") },
    }),
  },
  "/openapi.yaml": {
    get: operation("getOpenApiYaml", {
      summary: "Read this document as YAML",
      description: "This OpenAPI document.",
      responses: { "200": answer("The document.", { "application/yaml": ["OpenApiDocument"] }) },
    }),
  },
  "/docs": {
    get: operation("getReference", {
      summary: "Browse this document",
      description: "The reference of the interface as a page, served by this host alone.",
      responses: { "200": answer("The page.", { "text/html": ["ReferencePage"] }) },
    }),
  },
};
