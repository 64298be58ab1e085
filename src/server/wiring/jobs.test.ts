import { afterAll, afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { endedRequest } from "#test/support/ended-request.ts";
import { eventually } from "#test/support/eventually.ts";
import { openApp } from "#test/support/open-app.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { localUrl, serverHealth } from "../process/health.ts";
import { TakeOver } from "../process/take-over.ts";
import { readSettings } from "../settings.ts";
import { openRequestLog } from "./observation.ts";
import { requestJobs } from "./request-jobs.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const SILENT = { error() {}, warn() {}, info() {}, debug() {}, debugEnabled: false };

const app = await openApp();
const folder = temporaryFolder();
afterEach(() => void setSystemTime());
afterAll(() => app.close());

test("the jobs about requests write once more when the service stops: counts, last uses and summaries", async () => {
  const summaries: number[] = [];
  const log = { ...SILENT, lostLines: 0, writeSummaries: (now: number) => void summaries.push(now) };
  const finishing = requestJobs(app.service, log).filter(({ finish }) => finish);
  expect(finishing.map(({ name }) => name)).toEqual(["token-last-used", "usage-counts", "log-summaries"]);
  const holder = await app.account();
  const secret = await app.token(holder);
  await app.send("/v1/plants", { headers: { Authorization: `Bearer ${secret}` } });
  for (const job of finishing) await job.finish?.();
  const [token] = await app.storage.reads.tokens.list(holder.account);
  expect(token?.lastUsedAt).toBeGreaterThan(0);
  const usage = await app.storage.reads.usage.read(holder.account, { span: "minute", from: 0 });
  expect(usage.map(({ count }) => count)).toEqual([1]);
  expect(summaries.at(-1)).toBe(Number.POSITIVE_INFINITY);
});

test("the request log forgets what is older than it keeps, and nothing else", async () => {
  const settings = readSettings({ REQUEST_LOG_KEPT: "24h" });
  const { requests } = app.service.records;
  const opened = openRequestLog(settings, requests, NO_OBSERVER);
  const account = (await app.account()).account;
  for (const hours of [25, 23]) {
    setSystemTime(NOW - hours * 3_600_000);
    opened?.log.requestEnded(endedRequest({ id: `req_${hours}`, account, errorNumber: 40901 }));
    await opened?.log.job.finish?.();
  }
  setSystemTime(NOW);
  const forget = opened?.jobs.find(({ name }) => name === "old-requests");
  await forget?.run({ now: NOW, signal: AbortSignal.timeout(60_000) });
  const { found } = await app.storage.reads.requests.list(account, { limit: 10 });
  expect(found.map(({ requestId }) => requestId)).toEqual(["req_23"]);
});

describe("the health of a server", () => {
  test("is asked on this machine where it listens on every address", async () => {
    const health = await serverHealth({ HOST: "0.0.0.0", PORT: "1" });
    expect(health).toMatchObject({ ready: false, url: "http://127.0.0.1:1/readyz" });
    expect((await serverHealth({ HOST: "::", PORT: "1" })).url).toBe("http://[::1]:1/readyz");
    expect((await serverHealth({ HOST: "fd00::1", PORT: "1" })).url).toBe("http://[fd00::1]:1/readyz");
  });

  test("says that no server is found where its port is not known", async () => {
    const health = await serverHealth({ PORT: "0", DATABASE_URL: `sqlite:${join(folder, "none.db")}` });
    expect(health.ready).toBe(false);
    expect(health.url).not.toContain("undefined");
    expect(health.reason).toContain("no server");
  });

  test("is asked by clients over the listening address, and over HTTPS by the name of its certificate", () => {
    expect(localUrl({ HOST: "0.0.0.0", PORT: "8080", BASE_URL: "https://plants.example.com" })).toBe(
      "http://127.0.0.1:8080",
    );
    expect(localUrl({ DOMAIN: "plants.example.com", PORT: "8443" })).toBe("https://plants.example.com:8443");
    expect(() => localUrl({ PORT: "0", DATABASE_URL: `sqlite:${join(folder, "none.db")}` })).toThrow("--url");
  });
});

describe("taking over", () => {
  const settings = (more = {}) => readSettings({ DATABASE_URL: `sqlite:${join(folder, "plants.db")}`, ...more });

  const begin = (given: ReturnType<typeof settings>, signal?: AbortSignal) => TakeOver.begin(given, SILENT, signal);

  test("is for SQLite alone", async () => {
    const beginning = begin(settings({ DATABASE_URL: "postgres://db/plants" }));
    await expect(beginning).rejects.toThrow("restart one node after the other");
  });

  test("from nobody takes a free port, and leaves a pid file as long as it serves", async () => {
    if (process.platform !== "linux") return;
    const takeOver = await begin(settings({ PORT: "0" }));
    expect(takeOver.port(settings({ PORT: "0" }))).toBe(0);
    takeOver.complete(4000);
    expect(existsSync(join(folder, "plants.db.pid"))).toBe(true);
    takeOver.close();
    await eventually("the file is gone", () => !existsSync(join(folder, "plants.db.pid")));
  });

  test("waits for a server that is starting, and no longer than until it is told to stop", async () => {
    if (process.platform !== "linux") return;
    const first = await begin(settings());
    await expect(begin(settings(), AbortSignal.timeout(1))).rejects.toThrow("timed out");
    const second = begin(settings());
    first.complete(4000);
    (await second).close();
    first.close();
  });
});
