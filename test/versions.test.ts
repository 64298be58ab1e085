import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Attention, Overview } from "#contract/dashboard/overview.ts";
import { type InterfaceVersion, VERSIONS } from "#contract/version.ts";
import { DAY_MS } from "#core/duration.ts";
import { DEFAULT_SCOPES, SCOPES } from "#core/token.ts";
import { createLog } from "#observability/log.ts";
import { asOperator } from "#server/operator/operator.ts";
import { type Running, serve } from "#server/serve.ts";
import { readSettings } from "#server/settings.ts";
import { eventuallyPasses } from "./support/eventually.ts";
import { temporaryFolder } from "./support/service.ts";
import { TestBrowser } from "./support/test-browser.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const [FIRST] = VERSIONS as [InterfaceVersion];
const NEXT: InterfaceVersion = { version: "1.1.0", segments: ["v1.1", "1.1", "1.1.0", "v1.1.0"], shape: FIRST.shape };
/** A version with shapes of its own: a plant has a `title` in place of the `name`. */
const SECOND: InterfaceVersion = {
  version: "2.0.0",
  segments: ["v2"],
  shape: {
    ...FIRST.shape,
    readNewPlant: (text) => FIRST.shape.readNewPlant(text.replace('"title"', '"name"')),
    plantBody: (plant) => FIRST.shape.plantBody(plant).replace('"name"', '"title"'),
    testEventBody: (...made) =>
      FIRST.shape.testEventBody(...made).replace('"version":"1.0.0"', '"version":"2.0.0","made_up":true'),
    keptPlantBody: (plant) => FIRST.shape.keptPlantBody(plant).replace('"name"', '"title"'),
  },
};
const DEPRECATED_AT = Date.now() - 600 * DAY_MS;
/** 1.0.0 is deprecated and ends in a day; or has ended a day ago. */
const ENDING: InterfaceVersion = { ...FIRST, deprecatedAt: DEPRECATED_AT, sunsetAt: Date.now() + DAY_MS };
const ENDED: InterfaceVersion = { ...ENDING, sunsetAt: Date.now() - DAY_MS };

const environment = {
  WEBHOOK_NETWORKS: "127.0.0.0/8",
  PORT: "0",
  LOG_LEVEL: "error",
  DATABASE_URL: `sqlite:${join(temporaryFolder(), "plants.db")}`,
};
const EMAIL = "grower@example.test";
const PASSWORD = "a password of the tests";

const settings = readSettings(environment);
const log = createLog({ level: "error", format: "json", colors: false });
const ending = await serve(settings, log, { versions: [ENDING, NEXT] });
const ended = await serve(settings, log, { versions: [ENDED, NEXT, SECOND] });
const token = await asOperator(async ({ accounts, records, tokens, source }) => {
  const person = await accounts.add({ email: EMAIL, password: PASSWORD }, source);
  const [{ account } = { account: 0 }] = await records.members.storesOf(person);
  const token = { name: "test", scopes: SCOPES, expiresAt: undefined };
  return (await tokens.create({ ...source, account }, token)).secret;
}, environment);
afterAll(async () => {
  for (const { server, close } of [ending, ended]) {
    await server.stop();
    await close();
  }
});

function ask({ server }: Running, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return fetch(new URL(path, server.origin), { ...init, headers });
}

const create = (id: number) => ({ method: "POST", body: JSON.stringify({ id, name: "Aloe" }) });

describe("a version that is to end", () => {
  test.each(["/v1/plants", "/plants", "/1.0/plants?limit=1", "/v1/plants/404"])(
    "says so in every answer: %s",
    async (path) => {
      const { headers } = await ask(ending, path);
      expect(headers.get("Plantstore-Version")).toBe("1.0.0");
      expect(headers.get("Deprecation")).toBe(`@${Math.floor(DEPRECATED_AT / 1000)}`);
      expect(headers.get("Sunset")).toBe(new Date(ENDING.sunsetAt ?? 0).toUTCString());
      expect(headers.get("Link")).toContain('</docs/versions#1.0.0>; rel="deprecation"');
      expect(headers.get("Link")).toContain('</v1.1/openapi.json>; rel="successor-version"');
      expect(headers.get("Access-Control-Expose-Headers")).toMatch(/Deprecation, Sunset/);
    },
  );

  test("says so in the answer to a create and in a refusal, and keeps the link to the next page", async () => {
    for (const id of [1, 2]) expect((await ask(ending, "/v1/plants", create(id))).headers.get("Sunset")).toBeTruthy();
    expect((await ask(ending, "/v1/plants", { method: "POST", body: "{" })).headers.get("Sunset")).toBeTruthy();
    const { headers } = await ask(ending, "/v1/plants?limit=1");
    expect(headers.get("Link")).toMatch(/^<http.*>; rel="next", .*rel="deprecation"/);
  });

  test("is deprecated in its document, and told on the page that the links name", async () => {
    const old = await (await ask(ending, "/v1/openapi.json")).json();
    expect(old.info.version).toBe("1.0.0");
    expect(old.paths["/v1/plants"].post.deprecated).toBe(true);
    const page = await (await ask(ending, "/docs/versions")).text();
    expect(page).toContain('<h2 id="1.0.0">');
    expect(page).toContain(new Date(ENDING.sunsetAt ?? 0).toISOString().slice(0, 10));
  });
});

describe("a newer version", () => {
  test.each(NEXT.segments)("has addresses of its own that say nothing of an end: /%s", async (segment) => {
    const answer = await ask(ending, `/${segment}/plants`, create(3));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Plantstore-Version")).toBe("1.1.0");
    expect(answer.headers.has("Deprecation")).toBe(false);
    expect((await ask(ending, `/${segment}/plants/3`)).status).toBe(200);
  });

  test("is the version of an address that has none", async () => {
    for (const path of ["/healthz", "/openapi.json", "/nowhere"]) {
      const { headers } = await ask(ending, path);
      expect([headers.get("Plantstore-Version"), headers.has("Sunset")]).toEqual(["1.1.0", false]);
    }
  });
});

describe("a version that has ended", () => {
  const requests: [string, RequestInit][] = [
    ["/v1/plants", {}],
    ["/plants", {}],
    ["/v1/plants", create(9)],
    ["/1.0.0/plants", create(9)],
    ["/v1/plants/3", { method: "DELETE" }],
    ["/v1/plants/import", { method: "POST", body: "" }],
    ["/v1/events", {}],
  ];
  test.each(requests)("answers 410 and names its successor: %s %j", async (path, init) => {
    const answer = await ask(ended, path, init);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toEqual({ error: 41002, message: expect.stringContaining("v1.1 (1.1.0)") });
    expect(answer.headers.get("Sunset")).toBe(new Date(ENDED.sunsetAt ?? 0).toUTCString());
  });

  test("creates nothing, and leaves the newer version as it is", async () => {
    expect((await ask(ended, "/v1.1/plants/9")).status).toBe(404);
    expect((await ask(ended, "/v1.1/plants", create(10))).status).toBe(200);
    expect((await ask(ended, "/healthz")).status).toBe(200);
    expect((await ask(ended, "/nowhere")).status).toBe(404);
  });
});

test("a version with shapes of its own reads and shows the plants of the others", async () => {
  const created = await ask(ended, "/v2/plants", { method: "POST", body: '{"id":20,"title":"Calathea"}' });
  expect([created.status, await created.text()]).toEqual([200, '{"title":"Calathea"}']);
  expect(await (await ask(ended, "/v1.1/plants/20")).json()).toMatchObject({ id: 20, name: "Calathea" });
  expect(await (await ask(ended, "/v2/plants/10")).json()).toMatchObject({ id: 10, title: "Aloe" });
});

test("a webhook endpoint keeps the version under which it was created, also after that has ended, and has its shape", async () => {
  const receiver = new WebhookReceiver();
  const hook = async (running: Running, path: string) => {
    const body = JSON.stringify({ url: receiver.url });
    return (await ask(running, path, { method: "POST", body })).json();
  };
  const first = await hook(ending, "/webhooks");
  const second = await hook(ended, "/v2/webhooks");
  expect([first.version, (await hook(ending, "/v1.1/webhooks")).version, second.version]).toEqual([
    "1.0.0",
    "1.1.0",
    "2.0.0",
  ]);
  expect((await (await ask(ended, `/v1.1/webhooks/${first.id}`)).json()).version).toBe("1.0.0");
  for (const { id } of [first, second]) await ask(ended, `/v2/webhooks/${id}/test`, { method: "POST" });
  const sent = receiver.received.map(({ body }) => JSON.parse(body)).filter(({ test }) => test);
  expect(sent.map(({ version, made_up }) => [version, made_up])).toEqual([
    ["1.0.0", undefined],
    ["2.0.0", true],
  ]);
  await receiver.stop();
});

describe("the dashboard", () => {
  async function signedIn(url: string): Promise<TestBrowser> {
    const browser = new TestBrowser({ url });
    await browser.signIn(EMAIL, PASSWORD);
    return browser;
  }

  async function deprecatedCalls(browser: TestBrowser): Promise<Attention[]> {
    const { attention } = (await (await browser.get("/dashboard/api/overview")).json()) as Overview;
    return attention.filter(({ kind }) => kind === "version");
  }

  test("tells which token calls a deprecated version, and nothing of those that call a newer one alone", async () => {
    const modern = await asOperator(async ({ accounts, records, tokens, source }) => {
      const [{ account } = { account: 0 }] = await records.members.storesOf(await accounts.requirePerson(EMAIL));
      return tokens.create({ ...source, account }, { name: "modern", scopes: DEFAULT_SCOPES, expiresAt: undefined });
    }, environment);
    const url = ending.server.origin;
    const headers = { Authorization: `Bearer ${modern.secret}` };
    expect((await fetch(`${url}/v1.1/plants`, { headers })).status).toBe(200);
    const browser = await signedIn(url);
    await eventuallyPasses(async () => {
      expect(await deprecatedCalls(browser)).toEqual([
        {
          kind: "version",
          token: expect.objectContaining({ name: "test" }),
          version: "1.0.0",
          requests: expect.any(Number),
          ends_at: new Date(ENDING.sunsetAt ?? 0).toISOString(),
        },
      ]);
    });
  });

  test("says nothing of versions where none is deprecated", async () => {
    const current = await serve(settings, log);
    expect(await deprecatedCalls(await signedIn(current.server.origin))).toEqual([]);
    await current.server.stop();
    await current.close();
  });
});

test("today's version says nothing of an end", async () => {
  expect(FIRST.deprecatedAt).toBeUndefined();
});
