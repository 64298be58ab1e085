import { describe, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { ERRORS } from "../errors.ts";
import { DELIVERY_TYPES } from "../v1/delivery-query.ts";
import { openApiDocument } from "./document.ts";

interface Media {
  schema: object;
  example?: unknown;
}
interface Operation {
  operationId: string;
  tags: string[];
  "x-error-numbers": number[];
  "x-scopes"?: string[];
  description?: string;
  security?: object[];
  parameters?: { description?: string; schema: object; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media>; links?: Record<string, { operationId: string }> }>;
}
type Paths = Record<string, Record<"get" | "post" | "patch" | "delete", Operation>>;

const document = openApiDocument("http://127.0.0.1:3000");
const schemas = document.components.schemas as Record<string, { required?: string[]; properties?: object }>;
const operations = Object.entries(document.paths as unknown as Paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== "parameters")
    .map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
);

/** Part of version 1.0.0: one may be added, none renamed. */
const OPERATION_NAMES = `
  createPlant listPlants getPlant putPlant changePlant removePlant importPlants removePlants exportPlants listEvents sendTestEvent
  getEvent listWebhooks createWebhook getWebhook changeWebhook removeWebhook rollWebhookSecret testWebhook
  replayWebhook listWebhookDeliveries getToken getHealth getReadiness getOpenApiJson getOpenApiYaml getReference
`;

describe("the published OpenAPI document", () => {
  test("passes Redocly's strict rules, and its examples have their schemas", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test("describes the create as the interface has it, answered by one schema alone", () => {
    expect(schemas.NewPlant).toMatchObject({
      required: ["id", "name"],
      properties: { id: { type: "integer", format: "int64" }, name: { type: "string" }, tag: { type: "string" } },
    });
    expect(schemas.CreatedPlant).toMatchObject({ title: "Plant", required: ["name"] });
    expect(Object.keys(schemas.CreatedPlant?.properties ?? {})).toEqual(["name", "tag"]);
    expect(schemas.Error).toMatchObject({ required: ["error", "message"], properties: { error: { format: "int32" } } });
    const create = operations.find(({ operationId }) => operationId === "createPlant");
    expect(create?.responses["200"]?.content).toMatchObject({
      "application/json": { schema: { $ref: "#/components/schemas/CreatedPlant" } },
    });
    expect(Object.keys(create?.requestBody?.content ?? {})).toEqual(["application/json"]);
  });

  test("describes every operation and parameter, and answers what it does not name with the Error", () => {
    for (const { name, description, parameters = [], responses } of operations) {
      expect([name, description]).toEqual([name, expect.any(String)]);
      expect(responses.default as object).toEqual({ $ref: "#/components/responses/Error" });
      for (const parameter of parameters) expect(parameter.description).toBeTruthy();
    }
  });

  test("names the scope of every operation that takes a token, in words and for programs", () => {
    const scopes = operations.map(({ tags, security, description = "", "x-scopes": named }) => {
      const scopes = [...description.matchAll(/the scope `([a-z]+:[a-z]+)`/g)].map(([, scope = ""]) => scope);
      expect(security).toEqual(tags[0] === "Service" ? [] : [{ bearer: [] }]);
      expect([tags[0], scopes.length > 0]).toEqual([tags[0], !["Service", "Tokens"].includes(tags[0] ?? "")]);
      expect(named ?? []).toEqual(scopes);
      return scopes[0];
    });
    expect(new Set(scopes)).toEqual(new Set(["plants:read", "plants:write", "webhooks:manage", undefined]));
  });

  test("lists the numbers of each operation's refusals, also those that its description speaks of", () => {
    const known = Object.values(ERRORS).map(({ error }) => error);
    for (const { "x-error-numbers": numbers, description = "" } of operations) {
      expect(known).toEqual(expect.arrayContaining(numbers));
      expect(numbers).toEqual(expect.arrayContaining((description.match(/\b[45]\d{4}\b/g) ?? []).map(Number)));
    }
  });

  test("has the request of every type that a webhook endpoint is sent, each with a schema of its own", () => {
    const webhooks = Object.entries(document.webhooks as unknown as Paths).map(([type, { post }]) => {
      const { $ref = "" } = Object(post.requestBody?.content["application/json"]?.schema) as { $ref?: string };
      expect(schemas[$ref.split("/").at(-1) ?? ""]?.properties).toMatchObject({ type: { const: type } });
      return type;
    });
    expect(webhooks).toEqual([...DELIVERY_TYPES]);
  });

  test("leads generators to the schemas of events by a path, and away from calls of what a receiver implements", () => {
    const create = operations.find(({ operationId }) => operationId === "createWebhook");
    expect(Object.keys(Object(create).callbacks)).toEqual([...DELIVERY_TYPES]);
    for (const item of Object.values(document.webhooks)) expect(item).toMatchObject({ post: { "x-internal": true } });
  });

  test("keeps the names of its operations, which generated clients are made of", () => {
    expect(operations.map(({ operationId }) => operationId)).toEqual(OPERATION_NAMES.trim().split(/\s+/));
  });

  test("names every schema of a body, so that generators need not", () => {
    const bodies = operations.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)]);
    const inline = bodies
      .flatMap((body) => Object.values(body?.content ?? {}))
      .filter(({ schema }) => !("$ref" in schema));
    expect(inline).toEqual([]);
    const nested = Object.values(schemas).flatMap((schema) => Object.values(schema.properties ?? {}));
    expect(nested.filter((schema) => "properties" in schema || "properties" in (schema.items ?? {}))).toEqual([]);
  });

  test("links only operations that there are", () => {
    const ids = operations.map(({ operationId }) => operationId);
    const linked = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ links = {} }) => Object.values(links).map(({ operationId }) => operationId)),
    );
    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter((id) => !ids.includes(id))).toEqual([]);
  });
});
