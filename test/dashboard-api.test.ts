import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { startService } from "./support/service.ts";
import { signedInBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

const createPlant = (secret: string, id: number, headers: Record<string, string> = {}) =>
  service.send("POST", "/v1/plants", { as: secret, headers, body: { id, name: "Monstera deliciosa" } });

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
