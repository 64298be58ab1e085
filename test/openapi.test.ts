import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import type { ApiRequest } from "./support/api-request.ts";
import { startService } from "./support/service.ts";

interface Content {
  schema: object;
}
interface Answer {
  headers?: Record<string, object>;
  content?: Record<string, Content>;
}
interface Operation {
  responses: Record<string, Answer & { $ref?: string }>;
  "x-error-numbers": number[];
}
interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, Answer> };
}

const service = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.1" } });
afterAll(() => service.stop());
const token = await service.token();
const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;

const id = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.string({ unit: "binary", maxLength: 20 });
const newPlant = fc.record({ id, name: text, tag: fc.option(text, { nil: undefined }) });
const patch = fc.record({ name: text, tag: fc.option(text) }, { requiredKeys: [] });
const query = fc.record(
  {
    limit: fc.integer({ min: 1, max: 1000 }).map(String),
    tag: fc.string({ maxLength: 5 }),
    q: fc.string({ maxLength: 5 }),
    order: fc.constantFrom("id", "-created_at"),
  },
  { requiredKeys: [] },
);
const RUNS = { numRuns: 60 };

describe("what the published document allows is answered as it says", () => {
  test("creates, and reading back, changing and removing what was created", async () => {
    await fc.assert(
      fc.asyncProperty(newPlant, patch, async (plant, change) => {
        const body = `{"id":${plant.id},${JSON.stringify({ name: plant.name, tag: plant.tag }).slice(1)}`;
        const created = await send("post", "/plants", "/plants", { body });
        if (created !== 200) return expect([400, 409]).toContain(created);
        const path = `/plants/${plant.id}`;
        expect(await send("get", "/plants/{id}", path)).toBe(200);
        expect([200, 400]).toContain(await send("patch", "/plants/{id}", path, { body: JSON.stringify(change) }));
        expect(await send("delete", "/plants/{id}", path)).toBe(204);
        expect(await send("get", "/plants/{id}", path)).toBe(404);
      }),
      RUNS,
    );
  });

  test("lists, with any parameters", async () => {
    await fc.assert(
      fc.asyncProperty(query, async (parameters) => {
        expect([200, 400]).toContain(await send("get", "/plants", `/plants?${new URLSearchParams(parameters)}`));
      }),
      RUNS,
    );
  });

  test.each(["/healthz", "/readyz", "/openapi.json", "/openapi.yaml", "/docs"])("%s, without a token", async (path) => {
    const answer = await fetch(service.url + path);
    expect(answer.status).toBe(200);
    await expectAsDescribed("get", path, answer);
  });
});

test("imports and exports, under addresses of their own and by content type on the list's", async () => {
  const csv = "id,name\n900,Aloe\nx,Fern\n";
  const headers = { "Content-Type": "text/csv" };
  expect(await send("post", "/plants/import", "/plants/import?errors_max=0", { body: csv, headers })).toBe(200);
  expect(await send("post", "/plants/import", "/plants", { body: csv, headers })).toBe(200);
  expect(await send("post", "/plants/import", "/plants/import?errors_max=x", { body: csv, headers })).toBe(400);
  expect(await send("post", "/plants/import", "/plants/import", { body: "{}" })).toBe(415);
  for (const Accept of ["text/csv", "application/x-ndjson", "*/*"]) {
    expect(await send("get", "/plants/export", "/plants/export", { headers: { Accept } })).toBe(200);
  }
  for (const Accept of ["text/csv", "application/x-ndjson"]) {
    expect(await send("get", "/plants/export", "/plants", { headers: { Accept } })).toBe(200);
  }
  const refused = { headers: { Accept: "application/json" } };
  expect(await send("get", "/plants/export", "/plants/export", refused)).toBe(406);
});

test("reads events, and adds, changes and removes webhook endpoints", async () => {
  expect(await send("get", "/events", "/events?limit=5")).toBe(200);
  expect(await send("get", "/events", "/events?limit=x")).toBe(400);
  expect(await send("get", "/events/{id}", "/events/evt_0")).toBe(404);
  expect(await send("post", "/events/test", "/events/test", { body: '{"type":"plant.gone"}' })).toBe(400);
  const as = await service.token({ scopes: ["plants:read", "webhooks:manage"] });
  const body = '{"url":"http://127.0.0.1:65535/plants"}';
  expect(await send("post", "/webhooks", "/webhooks", { as, body })).toBe(200);
  for (let added = 2; added <= 16; added++) await send("post", "/webhooks", "/webhooks", { as, body });
  expect(await send("post", "/webhooks", "/webhooks", { as, body })).toBe(409);
  expect(await send("get", "/webhooks", "/webhooks")).toBe(403);
  expect(await send("get", "/webhooks", "/webhooks", { as })).toBe(200);
  expect(await send("patch", "/webhooks/{id}", "/webhooks/we_0", { as, body: "{}" })).toBe(404);
  expect(await send("post", "/webhooks/{id}/replay", "/webhooks/we_0/replay", { as, body: "{}" })).toBe(400);
  expect(await send("get", "/webhooks/{id}/deliveries", "/webhooks/we_0/deliveries?limit=0", { as })).toBe(400);
});

async function send(method: string, described: string, path: string, sent: ApiRequest = {}) {
  const answer = await service.send(method.toUpperCase(), `/v1${path}`, { as: token, ...sent });
  await expectAsDescribed(method, `/v1${described}`, answer);
  return answer.status;
}

async function expectAsDescribed(method: string, path: string, answer: Response): Promise<void> {
  const responses = document.paths[path]?.[method]?.responses;
  const listed = responses?.[String(answer.status)] ?? (answer.status >= 400 ? responses?.default : undefined);
  if (!listed) throw new Error(`${method} ${path} answered ${answer.status}, which the document does not list`);
  const described = listed.$ref ? document.components.responses[listed.$ref.split("/").at(-1) ?? ""] : listed;
  for (const name of ["Request-Id", "Plantstore-Version"]) expect(answer.headers.get(name)).toBeTruthy();
  const body = await answer.text();
  const type = answer.headers.get("Content-Type")?.split(";")[0] ?? "";
  if (!described?.content) return expect(body).toBe("");
  const content = described.content[type];
  if (!content) throw new Error(`${method} ${path} answered with ${type}, which the document does not list`);
  if (type !== "application/json") return;
  check(content.schema, JSON.parse(body));
  if (answer.status >= 400) {
    expect(document.paths[path]?.[method]?.["x-error-numbers"]).toContain(JSON.parse(body).error);
  }
}

/** Zod allows only safe integers. Other tests show that every int64 comes back exactly. */
function check(schema: object, value: unknown): void {
  const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
  const adapted = whole.replaceAll("#/components/schemas/", "#/$defs/");
  const json = JSON.parse(adapted.replaceAll('"type":"integer","format":"int64"', '"type":"number"'));
  const result = z.fromJSONSchema(json).safeParse(value);
  if (!result.success) throw new Error(`${JSON.stringify(value)} is not as described: ${result.error.message}`);
}
