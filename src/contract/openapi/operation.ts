import { answerHeaders, schemaReference } from "./responses.ts";

export function headerParameter(name: string, description: string, example: string): object {
  return { name, in: "header", description, schema: { type: "string" }, example };
}

export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", description, schema };
}

/** A JSON body with that named schema. */
export function jsonBody(schema: string, required = true): object {
  return { required, content: { "application/json": { schema: schemaReference(schema) } } };
}

/** A successful answer with a body of that named schema. */
export function answer(
  description: string,
  { schema, example, headers, links }: { schema: string; example?: unknown; headers?: HeaderTexts; links?: object },
): object {
  const content = { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) };
  return {
    description,
    headers: answerHeaders(headers),
    content: { "application/json": content },
    ...(links === undefined ? {} : { links }),
  };
}

export type HeaderTexts = Readonly<Record<string, string>>;
