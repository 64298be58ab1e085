import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import type { FirstRequest, Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";
import { USAGE_KEPT_MS } from "#core/usage.ts";
import { withAppPerFile } from "#test/support/app-per-file.ts";
import type { OpenApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { Holder } from "#test/support/test-account.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";
import { UNTIMED_BUCKET } from "../latency.ts";

const API = "/dashboard/api";

let app: OpenApp;
let holder: Holder;
let browser: TestBrowser;

withAppPerFile(async (opened, account) => {
  // No minute and no day ends while a test runs.
  setSystemTime(Date.now());
  [app, holder] = [opened, account];
  browser = await app.browser(holder);
});
afterEach(() => void setSystemTime());

const get = async <T>(path: string): Promise<T> => (await browser.get(API + path)).json();

function counted(outcome: number, count: number, agoMs = 0, token?: string, account = holder.account): Promise<void> {
  return app.service.records.usage.add([{ account, token, at: Date.now() - agoMs, outcome, count }]);
}

/** Adds requests by the bucket of their time. */
function timed(bucket: number, count: number): Promise<void> {
  const request = { account: holder.account, token: undefined, version: "1.0.0", at: Date.now() };
  return app.service.records.usage.addLatencies([{ ...request, bucket, count }]);
}

describe("the overview", () => {
  test("counts the account's own plants, today's creates and refusals, and its active tokens", async () => {
    const other = await app.account();
    const { plants } = app.service.records;
    await plants.create(holder.account, { id: 1n, name: "Fern", tag: undefined });
    await plants.create(other.account, { id: 1n, name: "Fern", tag: undefined });
    await app.token(holder);
    await app.token(holder, { expiresAt: Date.now() - 1 });
    await app.token(other);
    await counted(1, 30);
    await counted(40901, 1);
    await timed(10, 31);
    await counted(1, 500, 0, undefined, other.account);
    expect(await get<Overview>("/overview")).toEqual({
      plants: 1,
      creates_today: 30,
      errors_today: 1,
      active_tokens: 1,
      attention: [],
      last_imports: [],
    });
    expect((await app.storage.reads.tokens.list(holder.account)).length).toBe(2);
  });

  test("counts from where the reader's day starts, at most two days back", async () => {
    await counted(1, 5, 3 * MINUTE_MS);
    const since = (agoMs: number) => `/overview?since=${new Date(Date.now() - agoMs).toISOString()}`;
    expect((await get<Overview>(since(10 * MINUTE_MS))).creates_today).toBe(5);
    expect((await get<Overview>(since(MINUTE_MS))).creates_today).toBe(0);
    expect((await get<Overview>(since(300 * DAY_MS))).creates_today).toBe(5);
    const sentence = 'Cannot take "since": it must be a time such as 2026-11-21T16:12:29Z';
    await expectRefused(await browser.get(`${API}/overview?since=today`), 40004, sentence);
  });

  test("points to tokens that end soon or are not used, and to a share of refusals above 5 %", async () => {
    await app.token(holder, { name: "ends", expiresAt: Date.now() + 5 * DAY_MS });
    await app.token(holder, { name: "idle" });
    const old = { created_at: Date.now() - 100 * DAY_MS };
    await app.storage.db.updateTable("tokens").set(old).where("name", "=", "idle").execute();
    // Of 100 requests, one is an import of 5,000 plants.
    await counted(1, 5089);
    await counted(40901, 4);
    await counted(40003, 6);
    await timed(10, 99);
    await timed(UNTIMED_BUCKET, 1);
    const { attention } = await get<Overview>("/overview");
    expect(attention).toMatchObject([
      { kind: "expiring", token: { name: "ends" } },
      { kind: "unused", token: { name: "idle" } },
      { kind: "errors", share: 0.1, error: 40003, count: 6 },
    ]);
  });
});

describe("usage", () => {
  const buckets = async (query: string) => (await get<Usage>(`/usage?${query}`)).buckets;

  test.each([
    ["hour", 60, MINUTE_MS],
    ["day", 24, HOUR_MS],
    ["week", 28, 6 * HOUR_MS],
    ["month", 30, DAY_MS],
  ] as const)("of a %s is cut into %d buckets without a gap, and the last one holds now", async (range, count, ms) => {
    await counted(1, 3);
    await counted(40901, 2);
    await counted(0, 1);
    const usage = await get<Usage>(`/usage?range=${range}`);
    expect(usage.buckets).toHaveLength(count);
    for (const [at, { start, end }] of usage.buckets.entries()) {
      expect(Date.parse(end) - Date.parse(start)).toBe(ms);
      if (at > 0) expect(start).toBe(usage.buckets[at - 1]?.end ?? "");
    }
    expect(Date.parse(usage.buckets.at(-1)?.end ?? "")).toBeGreaterThan(Date.now());
    const sum = { requests: 0, created: 3, other: 1, errors: 2, p50_ms: null, p99_ms: null };
    expect(usage.buckets.at(-1)).toMatchObject(sum);
    expect([usage.totals, usage.errors]).toEqual([sum, [{ error: 40901, count: 2 }]]);
  });

  test.each([0, 120, -480, 330, 345])(
    "is cut at midnight %d minutes east of UTC, where the reader is",
    async (zone) => {
      for (const [range, ms] of [
        ["month", DAY_MS],
        ["week", 6 * HOUR_MS],
      ] as const) {
        const cut = await buckets(`range=${range}&zone_minutes=${zone}`);
        for (const { start } of cut) expect((Date.parse(start) + zone * MINUTE_MS) % ms).toBe(0);
        expect(Date.parse(cut.at(-1)?.end ?? "") - Date.now()).toBeWithin(1, ms + 1);
      }
    },
  );

  test("is of one token where one is named, and never of another account's", async () => {
    const stranger = await app.account();
    await counted(1, 3, 0, "tok_mine");
    await counted(1, 4, 0, "tok_other");
    await counted(1, 9, 0, "tok_theirs", stranger.account);
    const created = async (query: string) => (await get<Usage>(`/usage?range=hour${query}`)).totals.created;
    expect([await created("&token=tok_mine"), await created("&token=tok_theirs"), await created("")]).toEqual([
      3, 0, 7,
    ]);
  });

  test("is compared with as long a time before, as long as counts of then are kept", async () => {
    await counted(1, 8, 90 * MINUTE_MS);
    await counted(1, 2);
    const hour = await get<Usage>("/usage?range=hour");
    expect([hour.totals.created, hour.before?.created]).toEqual([2, 8]);
    expect((await get<Usage>("/usage?range=month")).before).toMatchObject({ created: 0 });
    const from = new Date(Date.now() - 40 * DAY_MS).toISOString();
    expect((await get<Usage>(`/usage?from=${from}`)).before).toBeNull();
  });

  test("has the median and the slowest hundredth of response times", async () => {
    await timed(10, 97);
    await timed(40, 3);
    await timed(UNTIMED_BUCKET, 1000);
    const { totals, buckets: cut } = await get<Usage>("/usage?range=hour");
    expect(totals.p50_ms ?? 0).toBeGreaterThan(0);
    expect(totals.p99_ms ?? 0).toBeGreaterThan(10 * (totals.p50_ms ?? 0));
    expect(cut.at(-1)).toMatchObject({ p50_ms: totals.p50_ms, p99_ms: totals.p99_ms });
    expect(cut[0]).toMatchObject({ p50_ms: null, p99_ms: null });
  });

  test("of a range of the reader's own is cut finely for a short one and coarsely for a long one, at most 90 times", async () => {
    const now = Date.now();
    const cut = async (fromAgoMs: number, toAgoMs: number) => {
      const [from, to] = [fromAgoMs, toAgoMs].map((agoMs) => new Date(now - agoMs).toISOString());
      const found = await buckets(`from=${from}&to=${to}`);
      const [first] = found;
      expect(found.length).toBeLessThanOrEqual(90);
      return Date.parse(first?.end ?? "") - Date.parse(first?.start ?? "");
    };
    expect(await cut(HOUR_MS, 0)).toBe(MINUTE_MS);
    expect(await cut(6 * HOUR_MS, 0)).toBe(5 * MINUTE_MS);
    expect(await cut(20 * HOUR_MS, 0)).toBe(15 * MINUTE_MS);
    expect(await cut(40 * HOUR_MS, 0)).toBe(HOUR_MS);
    expect(await cut(USAGE_KEPT_MS.minute, USAGE_KEPT_MS.minute - HOUR_MS)).toBe(HOUR_MS);
    expect(await cut(20 * DAY_MS, 0)).toBe(6 * HOUR_MS);
    expect(await cut(59 * DAY_MS, 0)).toBe(DAY_MS);
  });

  test("counts what lies between the two times of the reader's own range", async () => {
    await counted(1, 7, 50 * MINUTE_MS);
    await counted(1, 5, 10 * MINUTE_MS);
    const time = (agoMs: number) => new Date(Date.now() - agoMs).toISOString();
    const created = async (from: number, to: number) =>
      (await get<Usage>(`/usage?from=${time(from)}&to=${time(to)}`)).totals.created;
    expect(await created(HOUR_MS, 30 * MINUTE_MS)).toBe(7);
    expect(await created(30 * MINUTE_MS, 0)).toBe(5);
    expect(await created(HOUR_MS, 0)).toBe(12);
  });

  test("of a range of the reader's own has the buckets of its beginning and of its end, wherever these lie in them", async () => {
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const ranges = [
      [20 * 60, 4 * 60],
      [20 * 60 + 7, 4 * 60 + 3],
      [20 * 60 + 7, 4 * 60 - 1],
    ] as const;
    for (const ago of ranges) {
      const [from, to] = ago.map((minutes) => hour - minutes * MINUTE_MS) as [number, number];
      const found = await buckets(`from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);
      const [first, last] = [found[0], found.at(-1)].map((each) =>
        [each?.start, each?.end].map((at) => Date.parse(at ?? "")),
      );
      const holds = {
        from: (first?.[0] ?? 0) <= from && from < (first?.[1] ?? 0),
        to: (last?.[0] ?? 0) < to && to <= (last?.[1] ?? 0),
      };
      expect({ ago, ...holds }).toEqual({ ago, from: true, to: true });
    }
  });

  test.each([
    "range=year",
    "zone_minutes=841",
    "zone_minutes=1.5",
    "from=yesterday",
    "from=2020-01-01T00:00:00Z",
    "from=2999-01-01T00:00:00Z",
    "from=2026-03-10T12:00:00Z&to=2026-03-10T12:00:00Z",
    "from=2026-03-10T12:00:00Z&to=2026-03-09T12:00:00Z",
  ])("refuses %s", async (query) => {
    await expectRefused(await browser.get(`${API}/usage?${query}`), 40004);
  });
});

describe("the wait for the first request", () => {
  test("is over with the first plant, whose id may be beyond 2^53", async () => {
    const since = new Date(Date.now() - 1000).toISOString();
    const first = () => get<FirstRequest>(`/first-request?since=${since}`);
    expect(await first()).toEqual({ seen: false, requested: false, plant: null, refused: null });
    const secret = await app.token(holder);
    const headers = { Authorization: `Bearer ${secret}` };
    await app.send("/v1/plants", { method: "POST", headers, body: '{"id":9007199254740993,"name":"Fern"}' });
    expect(await first()).toMatchObject({ seen: true, plant: { id: "9007199254740993", name: "Fern" }, refused: null });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await get<FirstRequest>(`/first-request?since=${later}`)).toMatchObject({ seen: true, plant: null });
  });

  test("tells of a request that arrived and was refused, as soon as it was counted", async () => {
    const headers = { Authorization: `Bearer ${await app.token(holder)}` };
    await app.send("/v1/plants", { method: "POST", headers, body: '{"id":1}' });
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await get<FirstRequest>(`/first-request?since=${since}`)).toMatchObject({
      plant: null,
      refused: { error: 40002, count: 1 },
    });
  });
});
