import { type CountRange, PAGE_LIMIT } from "../limits.ts";

export function pathParameter(name: string, description: string, schema: object = { type: "string" }): object {
  return { name, in: "path", required: true, description, schema };
}

export function headerParameter(name: string, description: string, example: string): object {
  return { name, in: "header", description, schema: { type: "string" }, example };
}

export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", description, schema };
}

export function countParameter(name: string, description: string, { min, max, fallback }: CountRange): object {
  return queryParameter(name, description, { type: "integer", minimum: min, maximum: max, default: fallback });
}

export function limitParameter(description: string): object {
  return countParameter("limit", description, PAGE_LIMIT);
}

export function cursorParameter(description: string): object {
  return queryParameter("cursor", description, { type: "string", minLength: 1 });
}
