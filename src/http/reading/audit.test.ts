import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AuditPage } from "#contract/dashboard/audit.ts";
import { type OpenApp, openApp } from "#test/support/open-app.ts";
import { expectRefused } from "#test/support/refused.ts";
import type { TestBrowser } from "#test/support/test-browser.ts";

const AUDIT = "/dashboard/api/audit";
let app: OpenApp;
let browser: TestBrowser;

beforeAll(async () => {
  app = await openApp();
  browser = await app.browser(await app.account());
  for (const name of ["a", "b", "c"]) {
    await browser.post("/dashboard/api/tokens", { name, scopes: ["plants:read"], expires_at: null });
  }
});
afterAll(() => app.close());

async function page(query = ""): Promise<AuditPage> {
  return (await browser.get(`${AUDIT}?${query}`)).json();
}

test("everything that was done is listed, the newest first, with who did it from where", async () => {
  const { data, next_cursor } = await page();
  const actions = ["token.created", "token.created", "token.created", "store.created"];
  expect([data.map(({ action }) => action), next_cursor]).toEqual([actions, null]);
  const [token, , , store] = data;
  expect(token).toMatchObject({
    actor: { kind: "session" },
    address: "127.0.0.1",
    device: "Firefox on Linux",
    request_id: expect.stringMatching(/^req_/),
    target: expect.stringMatching(/^tok_/),
    detail: { name: "c" },
  });
  expect(store?.actor).toEqual({ kind: "operator", id: "", name: "tests" });
  const [signIn]: AuditPage["data"] = (await (await browser.get("/dashboard/api/account/audit")).json()).data;
  expect(signIn?.detail).toEqual({ method: "password", new_device: true });
});

test.each([
  ["limit", "201"],
  ["from", "yesterday"],
  ["action", "x".repeat(51)],
  ["cursor", "aud_"],
])("a query with %s=%s is refused by its name", async (name, value) => {
  await expectRefused(await browser.get(`${AUDIT}?${name}=${value}`), 40004, `Cannot take "${name}": it must `);
});

test("another account's entries are never listed, whatever cursor is sent", async () => {
  const stranger = await app.browser(await app.account());
  const cursor = `aud_${"f".repeat(32)}`;
  const { data }: AuditPage = await (await stranger.get(`${AUDIT}?cursor=${cursor}`)).json();
  expect(data.map(({ action }) => action)).toEqual(["store.created"]);
});
