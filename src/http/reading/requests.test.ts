import { afterAll, beforeAll, expect, test } from "bun:test";
import type { RequestPage } from "#contract/dashboard/requests.ts";
import type { LoggedRequest } from "#core/request-log.ts";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const REQUESTS = "/dashboard/api/requests";
const AT = Date.parse("2026-03-10T12:00:00.000Z");

let app: OpenApp;
let browser: TestBrowser;
let stranger: TestBrowser;

beforeAll(async () => {
  app = await openApp();
  const holder = await app.account();
  browser = await app.browser(holder);
  stranger = await app.browser(await app.account());
  const logged = (number: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
    account: holder.account,
    requestId: `req_${number}`,
    at: AT + number * 1000,
    method: "POST",
    path: "/v1/plants",
    status: 200,
    ms: 1.25,
    ...more,
  });
  const token = { id: "tok_1", name: "Till" };
  await app.service.records.requests.add([
    logged(0),
    logged(1, { status: 409, error: 40901, token, plantId: "7", address: "192.0.2.7", agent: "curl/8", bytesIn: 20 }),
    logged(2, { status: 400, error: 40003, message: "The member is wrong", excerpt: '{"id":"x"}' }),
    logged(3, { status: 503, error: 50301, path: "/v1/plants/export", sampledOf: 9, traceId: "0af7" }),
    logged(4, { method: "GET", path: "/v1/events?limit=1" }),
    logged(5, { status: 404, error: 40403, source: "dashboard" }),
  ]);
});
afterAll(() => app.close());

async function found(query: string): Promise<string[]> {
  const page: RequestPage = await (await browser.get(`${REQUESTS}?${query}`)).json();
  return page.data.map(({ request_id }) => request_id.slice("req_".length));
}

test("the newest requests come first, each with what is known of it, and how far the log goes back", async () => {
  const page: RequestPage = await (await browser.get(REQUESTS)).json();
  expect(page.kept).toEqual({ from: "2026-03-10T12:00:00.000Z", successes_a_second: 10 });
  expect([page.data.length, page.next_cursor]).toEqual([5, null]);
  expect(JSON.stringify(page)).not.toContain("excerpt");
  const [newest, failed, , taken] = page.data;
  expect(newest).toMatchObject({ request_id: "req_4", method: "GET", path: "/v1/events?limit=1", token: null });
  expect(failed).toMatchObject({ error: 50301, sampled_of: 9, trace_id: "0af7" });
  const sent = { address: "192.0.2.7", agent: "curl/8", bytes_in: 20, plant_id: "7" };
  expect(taken).toMatchObject({ ...sent, status: 409, error: 40901, token: { id: "tok_1", name: "Till" }, ms: 1.25 });
});

test.each([
  ["status=409", ["1"]],
  ["status=4xx", ["2", "1"]],
  ["status=4xx,503", ["3", "2", "1"]],
  ["status=2xx&path=/v1/events", ["4"]],
  ["error=40901", ["1"]],
  ["token=tok_1", ["1"]],
  ["plant=7", ["1"]],
  ["address=192.0.2.7", ["1"]],
  ["request_id=req_3", ["3"]],
  ["source=dashboard", ["5"]],
  ["request_id=req_5", ["5"]],
  ["path=/v1/plants", ["3", "2", "1", "0"]],
  ["path=/v1/plants/", ["3"]],
  ["from=2026-03-10T12:00:03Z", ["4", "3"]],
  ["to=2026-03-10T13:00:01%2B01:00", ["0"]],
] as const)("%s finds the requests %j", async (query, ids) => {
  expect(await found(query)).toEqual([...ids]);
});

test.each([
  ["source", "page"],
  ["status", "6xx"],
  ["status", "4xx,"],
  ["error", "none"],
  ["from", "yesterday"],
  ["from", "2026-11-21"],
  ["from", "2026-11-21T16:12:29"],
  ["to", "2026-13-01T00:00:00Z"],
  ["cursor", "0"],
  ["limit", "201"],
  ["limit", "1&limit=2"],
  ["path", `/${"x".repeat(500)}`],
])("a query with %s=%s is refused by its name", async (name, value) => {
  await expectRefused(await browser.get(`${REQUESTS}?${name}=${value}`), 40004, `Cannot take "${name}": `);
});

test("a request is shown with the beginning of its refused body, and no other account finds it", async () => {
  const one = async (id: string) => (await browser.get(`${REQUESTS}/${id}`)).json();
  const known = { request_id: "req_2", message: "The member is wrong", excerpt: '{"id":"x"}' };
  expect(await one("req_2")).toMatchObject(known);
  expect(await one("req_5")).toMatchObject({ source: "dashboard", token: null });
  const sentence = "There is no such request in the log; it may be too old, or was not kept";
  await expectRefused(await browser.get(`${REQUESTS}/req_unknown`), 40450, sentence);
  await expectRefused(await stranger.get(`${REQUESTS}/req_2`), 40450, sentence);
  expect(await (await stranger.get(`${REQUESTS}?token=tok_1`)).json()).toEqual({
    data: [],
    next_cursor: null,
    kept: { from: null, successes_a_second: 10 },
  });
});
