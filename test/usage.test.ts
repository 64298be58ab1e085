import { expect, test } from "bun:test";
import type { Usage } from "#contract/dashboard/usage.ts";
import { describeService } from "./support/describe-services.ts";
import { eventuallyPasses } from "./support/eventually.ts";
import type { TestService } from "./support/service.ts";
import { signedInBrowser, type TestBrowser } from "./support/test-browser.ts";

describeService("usage", {}, (service) => {
  async function create(to: TestService, secret: string, body: string): Promise<number> {
    return (await to.send("POST", "/v1/plants", { as: secret, body })).status;
  }

  async function usage(browser: TestBrowser, query = ""): Promise<Usage> {
    return (await browser.get(`/dashboard/api/usage?${query}`)).json();
  }

  function sums({ buckets }: Usage): { created: number; errors: number } {
    return {
      created: buckets.reduce((sum, { created }) => sum + created, 0),
      errors: buckets.reduce((sum, { errors }) => sum + errors, 0),
    };
  }

  test.concurrent("creates and errors are counted by token and altogether, in every cut of time", async () => {
    const { browser } = await signedInBrowser(service);
    const since = new Date(Date.now() - 60_000).toISOString();
    const till = await browser.makeToken();
    const reader = await browser.makeToken({ scopes: ["plants:read"] });
    for (let id = 1; id <= 3; id++) await create(service, till.secret, `{"id":${id},"name":"Ficus"}`);
    expect(await create(service, till.secret, '{"id":1,"name":"Ficus"}')).toBe(200);
    expect(await create(service, till.secret, '{"id":1,"name":"Monstera"}')).toBe(409);
    for (let n = 0; n < 2; n++) expect(await create(service, till.secret, "{}")).toBe(400);
    expect(await create(service, reader.secret, '{"id":9,"name":"Ficus"}')).toBe(403);
    expect((await service.send("GET", "/v1/plants/77", { as: reader.secret })).status).toBe(404);
    await eventuallyPasses(async () => {
      for (const range of ["hour", "day", "month"]) {
        expect(sums(await usage(browser, `range=${range}`))).toEqual({ created: 3, errors: 5 });
        expect(sums(await usage(browser, `range=${range}&token=${till.token.id}`))).toEqual({ created: 3, errors: 3 });
      }
    });
    const { errors } = await usage(browser, "range=hour");
    expect(errors[0]).toEqual({ error: 40002, count: 2 });
    expect(errors.map(({ error }) => error).sort()).toEqual([40002, 40301, 40403, 40901]);
    expect(await (await browser.get(`/dashboard/api/overview?since=${since}`)).json()).toMatchObject({
      plants: 3,
      creates_today: 3,
      errors_today: 5,
      active_tokens: 2,
      attention: [{ kind: "errors", error: 40002, count: 2, share: expect.closeTo(5 / 9, 5) }],
    });
  });

  test.concurrent("response times, of a token and of the account, are of requests alone: not of streams, waits for events, imports, or the dashboard's page", async () => {
    const { browser } = await signedInBrowser(service);
    const { secret, token } = await browser.makeToken();
    const page = (path: string) => browser.get(`/dashboard/api/v1${path}`);
    const read = (path: string, as: string) => service.send("GET", `/v1${path}`, { as });
    const body = Array.from({ length: 300 }, (_, id) => `{"id":${id},"name":"Ficus"}\n`).join("");
    const headers = { "Content-Type": "application/x-ndjson" };
    expect((await service.send("POST", "/v1/plants", { as: secret, headers, body })).status).toBe(200);
    const waits = [read("/events?wait=1&cursor=latest", secret), page("/events?wait=1&cursor=latest")];
    expect((await Promise.all(waits)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await page("/plants/1")).status).toBe(200);
    // Of the account are three requests: the import, the wait, and this refusal.
    expect((await read("/plants/9999", secret)).status).toBe(404);
    await eventuallyPasses(async () => {
      for (const query of ["range=hour", `range=day&token=${token.id}`]) {
        const { totals, buckets } = await (await browser.get(`/dashboard/api/usage?${query}`)).json();
        expect([totals.created, totals.errors]).toEqual([300, 1]);
        expect(totals.p50_ms).toBeGreaterThan(0);
        expect(totals.p99_ms).toBe(totals.p50_ms);
        const times = buckets.map(({ p50_ms }: { readonly p50_ms: number | null }) => p50_ms);
        expect(times.filter((ms: number | null) => ms !== null)).toEqual([totals.p50_ms]);
      }
      const { attention } = await (await browser.get("/dashboard/api/overview")).json();
      expect(attention).toMatchObject([{ kind: "errors", share: expect.closeTo(1 / 3, 5) }]);
    });
  });

  test.concurrent("an import of 132 plants is one request and 132 plants, and one of the dashboard is 132 plants alone", async () => {
    const { browser } = await signedInBrowser(service);
    const { secret } = await browser.makeToken();
    const type = "application/x-ndjson";
    const byProgram = (body: string) =>
      service.send("POST", "/v1/plants", { as: secret, headers: { "Content-Type": type }, body });
    const byPage = (body: string) => browser.post("/dashboard/api/v1/plants", new Blob([body], { type }));
    const lines = (first: number) =>
      Array.from({ length: 132 }, (_, at) => `{"id":${first + at},"name":"Ficus"}\n`).join("");
    for (const [send, first, requests, created] of [
      [byProgram, 0, 1, 132],
      [byPage, 1000, 1, 264],
    ] as const) {
      expect((await send(lines(first))).status).toBe(200);
      await eventuallyPasses(async () => {
        const { totals, buckets } = await usage(browser, "range=hour");
        expect(totals).toMatchObject({ requests, created, errors: 0 });
        expect(buckets.reduce((sum, bucket) => sum + bucket.requests, 0)).toBe(requests);
        expect(buckets.reduce((sum, bucket) => sum + bucket.created, 0)).toBe(created);
      });
    }
  });
});
