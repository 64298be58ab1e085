import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { RequestDetail, RequestPage } from "#contract/dashboard/requests.ts";
import { describeService } from "./support/describe-services.ts";
import { eventually } from "./support/eventually.ts";
import {
  SOURCES_COMMAND,
  startService,
  type TestService,
  type TestServiceOptions,
  temporaryFolder,
} from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";
import { mount, mountSmallDisk } from "./support/small-disk.ts";
import { signedInBrowser, type TestBrowser } from "./support/test-browser.ts";

function create(service: TestService, token: string, body: unknown, headers: Record<string, string> = {}) {
  return service.send("POST", "/v1/plants", { as: token, body, headers });
}

async function page(browser: TestBrowser, query: string): Promise<RequestPage> {
  return (await browser.get(`/dashboard/api/requests?${query}`)).json();
}

async function logged(browser: TestBrowser, query: string, count: number): Promise<RequestPage["data"]> {
  let data: RequestPage["data"] = [];
  await eventually(`${count} requests are logged for ${query}`, async () => {
    ({ data } = await page(browser, query));
    return data.length >= count;
  });
  return data;
}

async function started(options: TestServiceOptions) {
  const service = await startService(options);
  const { browser } = await signedInBrowser(service);
  const { secret: token } = await browser.makeToken({ name: "import" });
  return { service, browser, token };
}

describeService("the request log", { MCP: "on" }, (service) => {
  let browser: TestBrowser;
  let token: string;

  beforeAll(async () => {
    ({ browser } = await signedInBrowser(service));
    ({ secret: token } = await browser.makeToken({ name: "import" }));
  });

  test("a refused create is found by its error, its plant and its id, with the beginning of its body", async () => {
    const refused = await create(service, token, { id: 7, name: 5 }, { "User-Agent": "tests/1" });
    const id = refused.headers.get("Request-Id") ?? "";
    const [record] = await logged(browser, "error=40003", 1);
    expect(record).toMatchObject({ request_id: id, method: "POST", path: "/v1/plants", status: 400, error: 40003 });
    expect(record).toMatchObject({ token: { name: "import" }, address: "127.0.0.1", agent: "tests/1", bytes_in: 17 });
    expect(record?.message).toBe((await refused.json()).message);
    const detail: RequestDetail = await (await browser.get(`/dashboard/api/requests/${id}`)).json();
    expect(detail.excerpt).toBe('{"id":7,"name":5}');
    await create(service, token, { id: 8, name: "Fern" });
    await create(service, token, { id: 8, name: "Ivy" });
    await logged(browser, "plant=8", 2);
    expect((await page(browser, "status=5xx,409&plant=8")).data.map(({ error }) => error)).toEqual([40901]);
  });

  test.concurrent("a request without a body and a User-Agent has both members all the same", async () => {
    const bare = await service.send("GET", "/v1/plants/bare", { as: token, headers: { "User-Agent": "" } });
    const [record] = await logged(browser, `request_id=${bare.headers.get("Request-Id")}`, 1);
    expect(record).toMatchObject({ status: 400, agent: "", bytes_in: null });
  });

  test.concurrent("a token sent in body, query, path and header is nowhere in the log, nor in that of the service", async () => {
    const { secret, token } = await browser.makeToken({ name: "leaky" });
    await create(service, secret, `{"id":1,"name":"${secret}",`, { "User-Agent": secret, "X-Note": secret });
    const read = (path: string, as = secret) =>
      service.send("GET", `/v1/plants${path}`, { as, headers: { Cookie: `t=${secret}` } });
    await read(`/${secret}?q=${secret}&access_token=${secret}`);
    await read(`?limit=0&q=${secret}&token=${secret}`);
    for (const encoded of [secret.replace("_", "%5F"), secret.replace("p", "%2570"), secret.replace("_", "\\u005f")]) {
      await create(service, secret, `{"id":"${encoded}","name":"${encoded}"}`, { "User-Agent": encoded });
      await read(`/${encoded}?q=${encoded}`);
      // Without a token that is good, the service's own log has a line with the path.
      await read(`/${encoded}/${secret}`, "unknown");
      await fetch(`${service.url}/v1/plants/${encoded}`);
    }
    const data = await logged(browser, `token=${token.id}`, 9);
    expect(JSON.stringify(data)).not.toContain(secret.slice(6));
    expect(service.output()).not.toContain(secret.slice(6));
    for (const name of readdirSync(service.folder).filter((file) => file.includes("-requests.db"))) {
      expect(readFileSync(join(service.folder, name)).includes(secret.slice(6))).toBe(false);
    }
  });

  test.concurrent("a refusal is of the account whose token was sent: at an address that looks at none, and of one that has ended", async () => {
    const { secret, token } = await browser.makeToken({ name: "ending" });
    const { id } = token;
    const statusOf = async (method: string, path: string, as = secret) =>
      (await service.send(method, `/v1${path}`, { as })).status;
    expect(await statusOf("GET", "/plants/1")).toBe(404);
    expect(await statusOf("GET", "/nothing")).toBe(404);
    expect(await statusOf("PUT", "/plants")).toBe(405);
    expect((await service.send("GET", "/mcp", { as: secret })).status).toBe(405);
    expect((await browser.post(`/dashboard/api/tokens/${id}/revoke`)).status).toBe(200);
    await eventually("it is refused", async () => (await statusOf("GET", "/plants/1")) === 401);
    const data = await logged(browser, `token=${id}&error=40102`, 1);
    expect(data[0]).toMatchObject({ status: 401, path: "/v1/plants/1", token: { id, name: "ending" } });
    const { data: all } = await page(browser, `token=${id}&limit=200`);
    expect(new Set(all.map(({ error }) => error))).toEqual(new Set([40102, 40501, 40401, 40403]));
    expect((await service.send("POST", "/mcp", { as: secret, body: {} })).status).toBe(401);
    const ofAgent = await logged(browser, `token=${id}&path=/mcp`, 2);
    expect(ofAgent.map(({ error, source }) => [error, source])).toEqual([
      [40102, undefined],
      [40501, undefined],
    ]);
    // A token of nobody is nobody's request.
    expect(await statusOf("GET", "/plants/1", `plant_${"0".repeat(30)}2C8GjS`)).toBe(401);
    expect((await page(browser, "error=40102")).data.every(({ token: sent }) => sent?.id === id)).toBe(true);
  });

  test.concurrent("requests of the dashboard's page are kept with their source and their person, and shown only when asked for", async () => {
    const answer = await browser.get("/dashboard/api/v1/plants/404404");
    const id = answer.headers.get("Request-Id");
    const [own] = await logged(browser, "source=dashboard&path=/dashboard/api/v1/plants/404404", 1);
    expect(own).toMatchObject({ request_id: id, error: 40403, source: "dashboard", token: null });
    const { account } = await (await browser.get("/dashboard/api/session")).json();
    expect(own?.person).toEqual({ id: account.id, name: account.email });
    expect((await page(browser, "path=/dashboard/api/v1/plants/404404")).data).toEqual([]);
    expect((await page(browser, "source=dashboard")).data.every(({ source }) => source === "dashboard")).toBe(true);
  });
});

describe("the log's file on SQLite", () => {
  let service: TestService;
  let browser: TestBrowser;
  let token: string;
  const file = () => join(service.folder, "plantstore-requests.db");

  beforeAll(async () => {
    ({ service, browser, token } = await started({ engine: "sqlite", settings: { METRICS: "127.0.0.1:0" } }));
    await create(service, token, "{");
    await logged(browser, "error=40001", 1);
  });
  afterAll(() => service.stop());

  test("is for this user alone", () => {
    expect(statSync(file()).mode & 0o077).toBe(0);
  });

  test("may be deleted, or made read-only: creates go on", async () => {
    chmodSync(file(), 0o400);
    expect((await create(service, token, { id: 1, name: "Fern" })).status).toBe(200);
    for (const name of readdirSync(service.folder))
      if (name.includes("-requests.db")) rmSync(join(service.folder, name));
    for (let id = 2; id < 10; id++) expect((await create(service, token, { id, name: "Fern" })).status).toBe(200);
    const before = await writes(service);
    await eventually("the log was to be written", async () => (await writes(service)) >= before + 2);
    expect((await create(service, token, { id: 10, name: "Fern" })).status).toBe(200);
  });

  test("that is broken is moved aside at the next start, and made anew; kill -9 loses a second at most", async () => {
    await service.kill();
    for (const name of readdirSync(service.folder))
      if (name.includes("-requests.db")) rmSync(join(service.folder, name));
    writeFileSync(file(), "this is no database, whatever its name says. ".repeat(200));
    service = await service.restart();
    browser = await browser.at(service);
    expect((await create(service, token, "{")).status).toBe(400);
    await logged(browser, "error=40001", 1);
    expect(readdirSync(service.folder)).toContain("plantstore-requests.db.broken");
    await service.kill();
    service = await service.restart();
    browser = await browser.at(service);
    expect((await page(browser, "error=40001")).data).toHaveLength(1);
  });
});

// These wait more than they compute, each with a service of its own.
test.concurrent("a thread of the log that dies, or kill -9 while it writes, costs a second of the log, and creates go on", async () => {
  const preload = join(import.meta.dir, "fixtures/ends-log-worker.ts");
  const settings = { BUN_OPTIONS: `--preload ${preload}`, METRICS: "127.0.0.1:0" };
  // The released program loads nothing but itself.
  let { service, browser, token } = await started({ engine: "sqlite", settings, program: SOURCES_COMMAND });
  await create(service, token, "{");
  await logged(browser, "error=40001", 1);

  service.process.kill("SIGWINCH");
  await eventually("the loss is counted", async () => {
    await create(service, token, "{");
    return (await dropped(service)) > 0;
  });
  await eventually("it is logged", () => service.output().includes("A thread of the service failed: it has ended"));
  expect((await create(service, token, { id: 1, name: "Fern" })).status).toBe(200);
  expect((await create(service, token, { id: "x", name: "Fern" })).status).toBe(400);
  await logged(browser, "error=40003", 1);

  const writing = new AbortController();
  const refused = (async () => {
    while (!writing.signal.aborted) {
      await Promise.all(Array.from({ length: 10 }, () => create(service, token, "[]")));
      await Bun.sleep(10);
    }
  })().catch(() => {});
  await logged(browser, "error=40002", 50);
  await service.kill();
  writing.abort();
  await refused;
  service = await service.restart();
  browser = await browser.at(service);
  expect((await page(browser, "error=40002&limit=100")).data.length).toBeGreaterThanOrEqual(50);
  expect((await page(browser, "error=40003")).data).toHaveLength(1);
  expect(readdirSync(service.folder)).not.toContain("plantstore-requests.db.broken");
  expect(await service.stop()).toBe(0);
});

/** How many requests the log has lost, by the metric. */
async function dropped(service: TestService): Promise<number> {
  return Number(/^plantstore_request_log_dropped_total (\d+)$/m.exec(await service.metrics())?.[1]);
}

/** How often the log was written, or should have been. */
async function writes(service: TestService): Promise<number> {
  const runs = (await service.metrics()).matchAll(/^plantstore_jobs_total\{job="request-log",.* (\d+)$/gm);
  return [...runs].reduce((sum, [, count]) => sum + Number(count), 0);
}

test.concurrent("a table on PostgreSQL that cannot be written costs log entries, which are counted, and creates go on; kill -9 loses no more", async () => {
  let { service, browser, token } = await started({ engine: "postgres", settings: { METRICS: "127.0.0.1:0" } });
  await create(service, token, "{");
  await logged(browser, "error=40001", 1);
  const client = new pg.Client(service.environment.DATABASE_URL);
  await client.connect();
  await client.query("ALTER TABLE requests RENAME TO requests_elsewhere");
  let id = 0;
  await eventually("the loss is counted", async () => {
    expect((await create(service, token, { id: ++id, name: "Fern" })).status).toBe(200);
    return (await dropped(service)) > 0;
  });
  await client.query("ALTER TABLE requests_elsewhere RENAME TO requests");
  await client.end();
  await create(service, token, { id: "x", name: "Fern" });
  await logged(browser, "error=40003", 1);
  await service.kill();
  service = await service.restart();
  browser = await browser.at(service);
  expect((await page(browser, "error=40003")).data).toHaveLength(1);
  expect((await create(service, token, { id: ++id, name: "Fern" })).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test.concurrent("with bodies and addresses off the log has neither, and with webhooks off there is no address for them", async () => {
  const settings = { REQUEST_LOG_BODIES: "off", REQUEST_LOG_ADDRESSES: "off", WEBHOOKS: "off" };
  const { service, browser, token } = await started({ settings });
  await create(service, token, { id: 7, name: 5 });
  const [record] = await logged(browser, "error=40003", 1);
  const detail = await (await browser.get(`/dashboard/api/requests/${record?.request_id}`)).json();
  expect([detail.excerpt ?? null, detail.address || null]).toEqual([null, null]);
  const webhooks = await service.send("GET", "/v1/webhooks", { as: token });
  expect([webhooks.status, (await webhooks.json()).error]).toEqual([404, 40401]);
  await service.stop();
});

test.concurrent("REQUEST_LOG_KEPT=0 keeps nothing, and says so", async () => {
  const { service, browser, token } = await started({ settings: { REQUEST_LOG_KEPT: "0" } });
  await create(service, token, "{");
  expect(await page(browser, "")).toEqual({ data: [], next_cursor: null, kept: { from: null, successes_a_second: 0 } });
  await service.stop();
  expect(readdirSync(service.folder).filter((name) => name.includes("-requests.db"))).toEqual([]);
});

const disk = temporaryFolder();
const problem = mountSmallDisk(disk, "1m");

testUnless(
  problem,
  "a disk under the log's file that is full, or read-only, costs log entries, and creates go on",
  async () => {
    const folder = temporaryFolder();
    // SQLite follows the link, so the log alone is on the small disk.
    writeFileSync(join(disk, "log.db"), "");
    symlinkSync(join(disk, "log.db"), join(folder, "plantstore-requests.db"));
    const service = await startService({ engine: "sqlite", folder, settings: { METRICS: "127.0.0.1:0" } });
    const token = await service.token();
    let id = 0;
    await eventually("the disk is full and log entries are lost", async () => {
      await Promise.all(Array.from({ length: 50 }, () => create(service, token, `{"id":1,"name":"${"n".repeat(900)}`)));
      expect((await create(service, token, { id: ++id, name: "Fern" })).status).toBe(200);
      return (await dropped(service)) > 0;
    });
    await eventually("it is logged", () => service.output().includes("full"));
    for (let n = 0; n < 20; n++) expect((await create(service, token, { id: ++id, name: "Fern" })).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(mount("-o", "remount,ro", disk).success).toBe(true);
    const again = await service.restart();
    await eventually("log entries are lost on a disk that is read-only", async () => {
      expect((await create(again, token, { id: ++id, name: "Fern" })).status).toBe(200);
      return (await dropped(again)) > 0;
    });
    expect(await again.stop()).toBe(0);
  },
  { concurrent: true },
);
