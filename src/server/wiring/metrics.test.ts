import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { TokenCache } from "#http/token-cache.ts";
import { ServiceObserver } from "#observability/service-observer.ts";
import { secretHash } from "#storage/tokens.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { readSettings } from "../settings.ts";
import { openMetrics } from "./metrics.ts";

const SILENT = { error() {}, warn() {}, info() {}, debug() {}, debugEnabled: false };

const opened = await openTestRecords("sqlite");
afterAll(() => opened.end());

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function serve(environment: Record<string, string> = {}) {
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
  const settings = readSettings({ METRICS: "127.0.0.1:0", DATABASE_URL, ...environment });
  const sources = { requestLog: undefined, traces: undefined, records: opened.records, log: { lostLines: 3 } };
  const observer = new ServiceObserver(SILENT);
  const metrics = openMetrics(settings, { observer, tokens: new TokenCache(opened.records, secretHash), ...sources });
  if (!metrics) throw new Error("There are no metrics");
  const server = metrics.serve();
  ends.push(() => server.stop(true));
  const scrape = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL("/metrics", server.url), { headers });
    return { status: answer.status, text: await answer.text() };
  };
  return { metrics, scrape };
}

const value = (text: string, series: string) => Number(new RegExp(`^${series} (.+)$`, "m").exec(text)?.[1]);

describe("metrics", () => {
  test("have the free space of the disk with the database, which goes on where that cannot be read", async () => {
    const { scrape } = serve();
    expect(value((await scrape()).text, 'plantstore_disk_free_bytes{disk="data"}')).toBeGreaterThan(0);
    const gone = serve({ DATABASE_URL: "sqlite:/nowhere/at/all/plantstore.db" });
    const { status, text } = await gone.scrape();
    expect([status, text.includes('plantstore_disk_free_bytes{disk="data"} NaN')]).toEqual([200, true]);
  });

  test("have no disk where the database is on another machine", async () => {
    const { scrape } = serve({ DATABASE_URL: "postgres://127.0.0.1:1/plants" });
    expect((await scrape()).text).not.toContain("plantstore_disk_free_bytes");
  });

  test("count each run of the timer that shows whether the serving thread is late", async () => {
    const { metrics, scrape } = serve();
    const run = () => metrics.jobs[0]?.run({ now: Date.now(), signal: new AbortController().signal });
    await run();
    const busy = run();
    const until = performance.now() + 120;
    while (performance.now() < until);
    await busy;
    const { text } = await scrape();
    expect(value(text, "plantstore_event_loop_late_seconds_count")).toBe(2);
    expect(value(text, "plantstore_event_loop_late_seconds_sum")).toBeGreaterThan(0.09);
  });
});
