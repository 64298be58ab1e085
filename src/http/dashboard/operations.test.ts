import { describe, expect, test } from "bun:test";
import type { PlantCreators } from "#contract/dashboard/plants.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import { testCaller } from "#test/support/audit.ts";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const V1 = "/dashboard/api/v1";
let app: OpenApp;
let holder: Holder;
let browser: TestBrowser;
withAppPerFile(async (opened, account) => {
  [app, holder] = [opened, account];
  browser = await app.browser(holder);
});
const count = () => app.storage.records.plants.count(holder.account);
const typed = (type: string, body = '{"id":1,"name":"Fern"}') => new Blob([body], { type });
const post = (body: unknown, headers?: Record<string, string>) => browser.send("POST", `${V1}/plants`, body, headers);

/** The types that a page may send to any site without asking it first (WHATWG Fetch, CORS-safelisted). */
const SAFELISTED = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"];

test.each<Record<string, string>>([
  { Origin: "null" },
  { Origin: "https://evil.example" },
  { Origin: "http://127.0.0.1:3001" },
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
])("a request with %j is refused whatever its type, and changes nothing", async (headers) => {
  for (const type of [...SAFELISTED, "application/json", "application/x-ndjson", "text/csv"])
    await expectRefused(await post(typed(type), headers), 40350);
  expect(await count()).toBe(0);
});

test("a cookie without an origin, as of no browser, gets in as at every private route, but never with what a form sends", async () => {
  const { Origin: _, ...headers } = browser.headers;
  const send = (body: Blob) => app.send(`${V1}/plants`, { method: "POST", headers, body });
  for (const type of SAFELISTED) await expectRefused(await send(typed(type)), 41501);
  expect(await count()).toBe(0);
  expect((await send(typed("application/json"))).status).toBe(200);
});

test("the page's own requests are taken in every type and length that the API takes", async () => {
  expect((await post({ id: 1, name: "x".repeat(500_000) })).status).toBe(200);
  expect((await post(typed("application/x-ndjson", '{"id":2,"name":"Fern"}\n'))).status).toBe(200);
  expect((await post(typed("text/csv", "id,name\n3,Fern\n"))).status).toBe(200);
  const patch = typed("application/merge-patch+json", '{"name":"Moss"}');
  expect((await browser.send("PATCH", `${V1}/plants/3`, patch)).status).toBe(200);
  await expectRefused(await post({ id: 4, name: "x".repeat(1024 * 1024) }), 41301);
  expect(await count()).toBe(3);
});

describe("an answer", () => {
  test("is for the page alone: kept by no cache, with no header of the API's for other origins", async () => {
    const answers = [
      await post({ id: 1, name: "Fern" }),
      await browser.get(`${V1}/plants`),
      await browser.get(`${V1}/plants/1`),
      await browser.get(`${V1}/plants/2`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
    for (const { headers } of answers) {
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("links to the next page below the same address", async () => {
    await post(typed("application/x-ndjson", [1, 2].map((id) => `{"id":${id},"name":"Fern"}\n`).join("")));
    const link = /<([^>]+)>; rel="next"/.exec(
      (await browser.get(`${V1}/plants?limit=1`)).headers.get("Link") ?? "",
    )?.[1];
    const { pathname, search } = new URL(link ?? "");
    expect(pathname).toBe(`${V1}/plants`);
    expect((await (await browser.get(pathname + search)).json()).data).toMatchObject([{ id: 2 }]);
  });
});

test("what is no operation is refused as unknown, and another method with those that there are", async () => {
  for (const path of ["", "/", "/token", "/plants/", "/1/plants", "/healthz", "/openapi.json"])
    await expectRefused(await browser.get(V1 + path), 40401);
  await expectRefused(await browser.get("/dashboard/api/v2/plants"), 40401);
  for (const method of ["OPTIONS", "PUT"]) {
    const answer = await browser.send(method, `${V1}/plants`);
    expect(answer.headers.get("Allow")).toBe("GET, POST, HEAD");
    await expectRefused(answer, 40501);
  }
});

test("a change by somebody of several stores names the store, at every private route; what they read is in the first", async () => {
  const other = await app.account();
  await app.storage.records.members.add(testCaller(other.account), holder, "owner");
  const plant = { id: 1, name: "Fern" };
  await expectRefused(await post(plant), 40450);
  await expectRefused(await browser.send("PATCH", "/dashboard/api/store", { name: "Nursery" }), 40450);
  const inOther = { "Plantstore-Account": other.storeId };
  expect((await post(plant, inOther)).status).toBe(200);
  expect((await browser.get(`${V1}/plants/1`)).status).toBe(404);
  expect((await browser.send("GET", `${V1}/plants/1`, undefined, inOther)).status).toBe(200);
});

test("the pages of a store share one rate, whoever's they are", async () => {
  const rated = await openApp({ RATE_LIMIT: "2" });
  const person = await rated.account();
  const [one, another] = [await rated.browser(person), await rated.browser(person)];
  const limit = (answer: Response) => answer.headers.get("RateLimit");
  const bothOnce = async () => [limit(await one.get(`${V1}/plants`)), limit(await another.get(`${V1}/plants`))];
  let left = await bothOnce();
  // On a busy machine the second that is counted may end between the two.
  for (let tries = 1; tries < 5 && !left[1]?.includes("r=0"); tries++) {
    await Bun.sleep(1100);
    left = await bothOnce();
  }
  expect(left).toEqual([expect.stringContaining("r=1"), expect.stringContaining("r=0")]);
  await rated.close();
});

test("a page alone sorts by name and tag, reads what one person did and who added plants, and gets a free id below the greatest of all", async () => {
  const token = { Authorization: `Bearer ${await app.token(holder)}` };
  const asToken = (path: string) => app.send(`/v1${path}`, { headers: token });
  await post(typed("application/x-ndjson", '{"id":1,"name":"Rose"}\n{"id":9223372036854775807,"name":"Aloe"}\n'));
  await app.send("/v1/plants", { method: "POST", headers: token, body: '{"id":3,"name":"Fern"}' });
  const read = async (path: string) => (await browser.get(`/dashboard/api${path}`)).json();
  const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
  expect(names(await read("/v1/plants?order=name"))).toEqual(["Aloe", "Fern", "Rose"]);
  const { next_cursor } = await read("/v1/plants?order=-name&limit=2");
  expect(names(await read(`/v1/plants?order=-name&limit=2&cursor=${next_cursor}`))).toEqual(["Aloe"]);
  await expectRefused(await asToken("/plants?order=name"), 40004);
  expect(await read("/plants/next-id")).toEqual({ id: "4" });
  const { creators } = await read("/plants/creators?ids=1,3,4,rose");
  const kinds = creators.map(({ by, ids }: PlantCreators["creators"][number]) => [by?.kind, ids]);
  expect(kinds).toEqual([
    ["person", ["1"]],
    ["program", ["3"]],
    [undefined, ["4"]],
  ]);
  await expectRefused(await browser.get(`/dashboard/api/plants/creators?ids=${"1,".repeat(1100)}`), 40004);

  const person = (await read("/session")).account.id;
  const done = await read(`/v1/events?order=-timestamp&person=${person}`);
  expect(done.data.map(({ data }: { data: { plant: { name: string } } }) => data.plant.name).toSorted()).toEqual([
    "Aloe",
    "Rose",
  ]);
  await expectRefused(await asToken(`/events?order=-timestamp&person=${person}`), 40004);
  await expectRefused(await browser.get(`${V1}/events?person=${person}`), 40004);
  const own = await read(`/events?person=${person}`);
  expect(names(own).toSorted()).toEqual(["Aloe", "Rose"]);
  expect(own.data[0]).toMatchObject({ by: { kind: "person", id: person }, tag: null });
  expect(names(await read("/events?person=nobody"))).toEqual([]);
});

test("the figures count a refused address of a known token, as the request log does", async () => {
  const headers = { Authorization: `Bearer ${await app.token(holder)}` };
  for (const [path, status] of [
    ["/v1/plants", 200],
    ["/v1/nowhere", 404],
  ] as const)
    expect((await app.send(path, { headers })).status).toBe(status);
  expect((await app.send("/v1/plants", { method: "TRACE", headers })).status).toBe(405);
  await browser.get("/dashboard/api/first-request");
  const { totals, errors } = await (await browser.get("/dashboard/api/usage")).json();
  expect([totals.requests, totals.errors]).toEqual([3, 2]);
  expect(errors.map(({ error }: { error: number }) => error).toSorted()).toEqual([40401, 40501]);
});
