import { describe, expect, test } from "bun:test";
import { openApiDocument } from "#contract/openapi/document.ts";
import { readNewPlant } from "#contract/v1/new-plant.ts";
import { VERSIONS } from "#contract/version.ts";
import {
  exampleText,
  type OpenApiDocument,
  operationsOf,
  resolved,
  type Schema,
  schemaName,
  typeOf,
} from "./openapi.ts";

const [version] = VERSIONS;
if (!version) throw new Error("The interface has no version");
const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("http://127.0.0.1:3000", version)));
const operations = operationsOf(document);
const named = (id: string) => operations.find((operation) => operation.id === id);

describe("the operations of the published document", () => {
  test("are all of its paths and methods, each once", () => {
    const methods = ["get", "post", "patch", "delete", "put"];
    const written = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => methods.includes(key))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(written.sort());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test("have every reference resolved: parameters with a name and a place, answers with a description", () => {
    for (const { path, parameters, responses } of operations) {
      for (const parameter of parameters) {
        expect(parameter.name).toBeString();
        expect(["path", "query", "header"]).toContain(parameter.in);
      }
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
        expect(parameters.filter((parameter) => parameter.in === "path").map((each) => each.name)).toContain(
          name ?? "",
        );
      }
      for (const { response } of responses) expect(response.description).toBeString();
    }
  });

  test("say who may ask without a token: supervisors, and readers of the document", () => {
    const open = operations.filter(({ needsToken }) => !needsToken).map(({ path }) => path);
    expect(open).toContain("/healthz");
    expect(open.some((path) => path.includes("plants") || path.includes("webhooks"))).toBe(false);
  });

  test("have an example of each JSON body that can be sent as it is", () => {
    for (const { body } of operations) {
      const json = exampleText(document, body?.content["application/json"]);
      if (json !== undefined) expect(() => JSON.parse(json)).not.toThrow();
    }
    const create = operations.find(({ method, path }) => method === "POST" && path.endsWith("/plants"));
    const example = exampleText(document, create?.body?.content["application/json"]) ?? "";
    expect(readNewPlant(example)).toMatchObject({ name: expect.any(String) });
  });

  test("have a type in words for each parameter", () => {
    for (const { parameters } of operations) {
      for (const { schema } of parameters) expect(typeOf(document, schema)).not.toBe("any");
    }
  });
});

describe("a schema", () => {
  const schema = (part: Schema, more: Record<string, Schema> = {}) => {
    const components = { schemas: { Plant: { type: "object" }, Id: { type: "integer", format: "int64" }, ...more } };
    return { document: { ...document, components } satisfies OpenApiDocument, part };
  };
  const told = (part: Schema) => typeOf(schema(part).document, part);

  test("is told in words", () => {
    expect(told({ type: "string" })).toBe("string");
    expect(told({ type: ["string", "null"] })).toBe("string or null");
    expect(told({ $ref: "#/components/schemas/Id" })).toBe("integer (int64)");
    expect(told({ $ref: "#/components/schemas/Plant" })).toBe("Plant");
    expect(told({ type: "array", items: { $ref: "#/components/schemas/Plant" } })).toBe("list of Plant");
    expect(told({ anyOf: [{ type: "string" }, { type: "integer" }] })).toBe("string or integer");
    expect(told({})).toBe("any");
  });

  test("without an example has one made of its required members, its defaults and its first allowed values", () => {
    const part: Schema = {
      type: "object",
      required: ["id", "kind", "names", "rest"],
      properties: {
        id: { $ref: "#/components/schemas/Id" },
        kind: { enum: ["each", "notice"] },
        names: { type: "array", items: { type: "string" } },
        rest: { type: "boolean", default: true },
        left: { type: "string" },
      },
    };
    const made = exampleText(schema(part).document, { schema: part });
    expect(JSON.parse(made ?? "")).toEqual({ id: 1, kind: "each", names: [""], rest: true });
  });

  test("has the example that stands beside it, as it is written", () => {
    expect(exampleText(document, { example: "id,name\n1,Fern\n", schema: { type: "string" } })).toBe(
      "id,name\n1,Fern\n",
    );
    expect(exampleText(document, { examples: { one: { value: { id: 1 } } } })).toBe('{\n  "id": 1\n}');
    expect(exampleText(document, undefined)).toBeUndefined();
  });

  test("that is referred to has the last part of the reference as its name", () => {
    expect(schemaName({ $ref: "#/components/schemas/Plant" })).toBe("Plant");
    expect(schemaName({ type: "string" })).toBeUndefined();
    expect(resolved(document, { $ref: "#/nowhere/at/all" })).toBeUndefined();
  });
});

test("an operation is found by the id that links use", () => {
  const [first] = operations;
  expect(named(first?.id ?? "")).toBe(first);
});
