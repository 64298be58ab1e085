import { answer, operations } from "./operation.ts";

const operation = operations("Service", { scopes: [], route: "other" });

/** The addresses without a version. None needs a token. */
export const SERVICE_OPERATIONS = {
  getHealth: operation("GET /healthz", {
    summary: "Check that the process is running",
    description: "Answers 200 while the process is running, also while it shuts down.",
    responses: { "200": answer("The process is running.", "Health", { example: { status: "ok" } }) },
  }),
  getReadiness: operation("GET /readyz", {
    summary: "Check that the service is ready",
    description:
      "Answers 503 (50301) while the service shuts down or its storage cannot be written. `details` names what an " +
      "operator should mend although the service works, such as a missing search index.",
    responses: { "200": answer("The service is ready.", "Health", { example: { status: "ready" } }) },
  }),
  getOpenApiJson: operation("GET /openapi.json", {
    summary: "Read this document as JSON",
    description: "This OpenAPI document. Its server is the address under which the service was reached.",
    responses: { "200": answer("The document.", "OpenApiDocument") },
  }),
  getOpenApiYaml: operation("GET /openapi.yaml", {
    summary: "Read this document as YAML",
    description: "This OpenAPI document.",
    responses: { "200": answer("The document.", { "application/yaml": ["OpenApiDocument"] }) },
  }),
  getReference: operation("GET /docs", {
    summary: "Browse this document",
    description: "The reference of the interface as a page, served by this host alone.",
    responses: { "200": answer("The page.", { "text/html": ["ReferencePage"] }) },
  }),
};
