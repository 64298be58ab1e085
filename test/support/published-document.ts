import { openApiDocument } from "#contract/openapi/document.ts";
import { type OpenApiDocument, type Operation, operationsOf } from "#dashboard/reference/openapi.ts";

/** The document that a service publishes, as a page reads it. */
export const PUBLISHED: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("http://127.0.0.1:3000")));

export const OPERATIONS = operationsOf(PUBLISHED);

export function publishedOperation(id: string): Operation {
  const found = OPERATIONS.find((each) => each.operationId === id);
  if (!found) throw new Error(`The document has no operation ${id}`);
  return found;
}
