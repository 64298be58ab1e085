import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import type { NewTokenSecret, TokenRecord } from "#contract/dashboard/tokens.ts";
import { eventually } from "./support/eventually.ts";
import { expectRefusedWithinASecond } from "./support/refused.ts";
import { startService } from "./support/service.ts";
import { signedInBrowser, type TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

const createPlant = (secret: string, id: number, headers: Record<string, string> = {}) =>
  service.send("POST", "/v1/plants", { as: secret, headers, body: { id, name: "Monstera deliciosa" } });

async function list(browser: TestBrowser): Promise<TokenRecord[]> {
  return (await (await browser.get("/dashboard/api/tokens")).json()).tokens;
}

test("a token made in the Developer tab works at once, and is listed, renamed and revoked", async () => {
  const { browser } = await signedInBrowser(service);
  const { secret, token } = await browser.makeToken();
  expect((await createPlant(secret, 1)).status).toBe(200);
  const renamed = await browser.send("PATCH", `/dashboard/api/tokens/${token.id}`, { name: "Till" });
  expect(await renamed.json()).toMatchObject({ id: token.id, name: "Till", state: "active" });
  const revoked = await browser.post(`/dashboard/api/tokens/${token.id}/revoke`);
  expect(await revoked.json()).toMatchObject({ state: "revoked", revoked_at: expect.any(String) });
  await expectRefusedWithinASecond(async () => (await createPlant(secret, 1)).status);
  expect(await list(browser)).toMatchObject([{ id: token.id, name: "Till", state: "revoked" }]);
});

test("a rolled token gives way to a new one at the end of the overlap, and not before", async () => {
  const { browser } = await signedInBrowser(service);
  const old = await browser.makeToken();
  const roll = (overlap_seconds: number, { token }: NewTokenSecret) =>
    browser.post(`/dashboard/api/tokens/${token.id}/roll`, { overlap_seconds });
  const rolled: NewTokenSecret = await (await roll(3600, old)).json();
  expect(rolled.secret).not.toBe(old.secret);
  expect([(await createPlant(old.secret, 1)).status, (await createPlant(rolled.secret, 2)).status]).toEqual([200, 200]);
  const newest: NewTokenSecret = await (await roll(1, rolled)).json();
  const ends = Date.parse((await list(browser)).find(({ id }) => id === rolled.token.id)?.revoked_at ?? "");
  let sentAt = 0;
  await eventually("it is refused", async () => {
    sentAt = Date.now();
    const isRefused = (await createPlant(rolled.secret, 2)).status === 401;
    if (!isRefused) expect(sentAt).toBeLessThan(ends + 1000);
    return isRefused;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(ends);
  expect((await createPlant(newest.secret, 3)).status).toBe(200);
  const again = await roll(0, rolled);
  expect(again.status).toBe(400);
});

test("a secret is in the answer that made it, and in no later answer, log line or file", async () => {
  const { browser } = await signedInBrowser(service);
  const { secret } = await browser.makeToken();
  await createPlant(secret, 1);
  for (const path of ["session", "tokens", "overview", "usage", "first-request", "sessions"]) {
    const text = await (await browser.get(`/dashboard/api/${path}`)).text();
    expect([path, text.includes(secret)]).toEqual([path, false]);
  }
  expect(service.output().includes(secret)).toBe(false);
  for (const name of await readdir(service.folder)) {
    const bytes = Buffer.from(await Bun.file(`${service.folder}/${name}`).arrayBuffer());
    expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
});

test("a second account sees nothing of the first", async () => {
  const first = await signedInBrowser(service);
  const { secret } = await first.browser.makeToken();
  await createPlant(secret, 1);
  const { browser } = await signedInBrowser(service);
  expect(await list(browser)).toEqual([]);
  expect(await (await browser.get("/dashboard/api/overview")).json()).toMatchObject({ plants: 0, active_tokens: 0 });
  expect(await (await browser.get("/dashboard/api/first-request")).json()).toMatchObject({ seen: false, plant: null });
  expect((await browser.get("/dashboard/api/v1/plants/1")).status).toBe(404);
});

test("a bearer token at a dashboard address, and a cookie at an API address, are ignored", async () => {
  const { browser } = await signedInBrowser(service);
  const { secret } = await browser.makeToken();
  expect((await service.send("GET", "/dashboard/api/session", { as: secret })).status).toBe(401);
  const headers = { Authorization: `Bearer ${secret}` };
  expect((await browser.send("GET", "/dashboard/api/session", undefined, headers)).status).toBe(200);
  expect((await browser.get("/v1/plants/1")).status).toBe(401);
  const [[name, value] = []] = browser.cookies;
  expect((await createPlant(secret, 1, { Cookie: `${name}=${value}` })).status).toBe(200);
});

test("matches and tags are counted, and a plant is found by its id too", async () => {
  const { browser } = await signedInBrowser(service);
  const { secret } = await browser.makeToken();
  for (const body of [
    '{"id":9007199254740993,"name":"Giant sequoia","tag":"tree"}',
    '{"id":1,"name":"No. 9007199254740993"}',
    '{"id":77,"name":"Plant 77"}',
  ])
    expect((await service.send("POST", "/v1/plants", { as: secret, body })).status).toBe(200);
  const answered = async (path: string) => (await browser.get(`/dashboard/api/plants/${path}`)).json();
  expect(await answered("matches?q=9007199254740993")).toEqual({ count: 2, at_least: false });
  expect(await answered("matches?q=009007199254740993")).toEqual({ count: 1, at_least: false });
  expect(await answered("matches?q=9007199254740993&tag=tree")).toEqual({ count: 0, at_least: false });
  expect(await answered("tags")).toEqual({
    tags: [{ tag: "tree", count: 1 }],
    other: 0,
    untagged: 2,
    about: false,
  });
  expect((await fetch(`${service.url}/dashboard/api/plants/tags`)).status).toBe(401);
});
