import { describe, expect, test } from "bun:test";
import { PUBLISHED as document, OPERATIONS as operations } from "#test/support/published-document.ts";
import {
  exampleText,
  needsToken,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
  typeOf,
} from "./openapi.ts";

describe("the operations of the published document", () => {
  test("are all of its paths, webhooks and methods, each once", () => {
    const methods = ["get", "post", "patch", "delete", "put"];
    const written = [...Object.entries(document.paths), ...Object.entries(document.webhooks)].flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => methods.includes(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(written.sort());
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test("say who may ask without a token: supervisors, and readers of the document", () => {
    const open = operations.filter((each) => !needsToken(each) && !each.isWebhook).map(({ path }) => path);
    expect(open).toContain("/healthz");
    expect(open.some((path) => path.includes("plants") || path.includes("webhooks"))).toBe(false);
  });
});

describe("a schema", () => {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` }) as Schema;

  /** The schema as an operation has it, its references resolved. */
  function linked(schema: Schema): Schema {
    const parameters: Parameter[] = [{ name: "x", in: "query", schema }];
    const get = { operationId: "x", tags: [], summary: "", responses: {}, parameters } as object as Operation;
    const schemas = { Plant: { type: "object" }, Id: { type: "integer", format: "int64" } };
    const read = {
      ...document,
      paths: { "/x": { get } as object as OpenApiDocument["paths"][string] },
      components: { schemas },
    };
    return operationsOf(read)[0]?.parameters[0]?.schema ?? {};
  }

  test.each([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string or null"],
    [reference("Id"), "integer (int64)"],
    [reference("Plant"), "Plant"],
    [{ type: "array", items: reference("Plant") }, "list of Plant"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "string or integer"],
    [{}, "any"],
  ] satisfies [Schema, string][])("%j is told in words", (schema, words) => {
    expect(typeOf(linked(schema))).toBe(words);
  });

  test("without an example has one made of its required members, its defaults and its first allowed values", () => {
    const schema: Schema = {
      type: "object",
      required: ["id", "kind", "names", "rest"],
      properties: {
        id: reference("Id"),
        kind: { enum: ["each", "notice"] },
        names: { type: "array", items: { type: "string" } },
        rest: { type: "boolean", default: true },
        left: { type: "string" },
      },
    };
    const made = exampleText({ schema: linked(schema) });
    expect(JSON.parse(made ?? "")).toEqual({ id: 1, kind: "each", names: [""], rest: true });
  });

  test("has the example that stands beside it, as it is written", () => {
    const csv = "id,name\n1,Fern\n";
    expect(exampleText({ example: csv, schema: { type: "string" } })).toBe(csv);
    expect(exampleText({ examples: { one: { value: { id: 1 } } } })).toBe('{\n  "id": 1\n}');
    expect(exampleText(undefined)).toBeUndefined();
  });
});
