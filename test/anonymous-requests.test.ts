import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService({ settings: { TRUSTED_PROXIES: "127.0.0.1" } });
const storage = await openStorage(service.environment.DATABASE_URL ?? "");
afterAll(async () => {
  await storage.records.close();
  await service.stop();
});

describe("requests of strangers", () => {
  function from(address: string): TestBrowser {
    return new TestBrowser(service, { headers: { "X-Forwarded-For": address } });
  }

  async function countedAttempts(): Promise<number> {
    const query = storage.db.selectFrom("attempts").select((sum) => sum.fn.sum<number>("count").as("count"));
    return Number((await query.executeTakeFirstOrThrow()).count ?? 0);
  }

  test("a passkey's challenge is kept in the browser: asking for one writes nothing", async () => {
    const before = await countedAttempts();
    for (let n = 0; n < 20; n++) {
      const answer = await from("198.51.100.1").get("/auth/passkey/generate-authenticate-options");
      expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([200, expect.stringContaining("HttpOnly")]);
    }
    expect(await countedAttempts()).toBe(before);
  });

  test("a throttled sign-in writes nothing", async () => {
    const email = "nobody@example.test";
    const guess = () => from("198.51.100.2").signIn(email, "not the password");
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(401);
    const before = await countedAttempts();
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(429);
    expect(await countedAttempts()).toBe(before);
  });

  test("a form of more than 16 KiB is refused", async () => {
    const form = { email: "a@example.test", password: "x".repeat(16 * 1024) };
    const answer = await from("198.51.100.9").post("/auth/sign-in/email", form);
    expect([answer.status, (await answer.json()).error]).toEqual([413, 41301]);
  });

  describe("of a browser that is signed in", () => {
    let browser: TestBrowser;
    beforeAll(async () => {
      ({ browser } = await signedInBrowser(service));
    });

    test.each([
      ["POST", "/dashboard/api/tokens", { name: "a\0b", scopes: ["plants:read"], expires_at: null }],
      ["POST", "/dashboard/api/tokens", { name: "a\ud800b", scopes: ["plants:read"], expires_at: null }],
      ["PATCH", "/dashboard/api/tokens/tok_1", { name: "a\0" }],
      ["PATCH", "/dashboard/api/tokens/%00", { name: "a" }],
      ["POST", "/dashboard/api/tokens/a%00b/revoke", {}],
      ["POST", "/dashboard/api/sessions/%00/end", {}],
      ["POST", "/dashboard/api/trusted-devices/%00/forget", {}],
      ["GET", "/dashboard/api/welcome?code=%00", undefined],
      ["GET", "/dashboard/api/usage?token=%00", undefined],
      ["GET", "/dashboard/api/audit?action=%00", undefined],
      ["POST", "/dashboard/api/welcome", { email: "a\0@example.test", password: PASSWORD }],
      ["PATCH", "/dashboard/api/account", { name: "\udc00" }],
      ["POST", "/auth/sign-in/email", { email: "a\0@example.test", password: PASSWORD }],
      ["POST", "/auth/sign-in/email", { email: "a@example.test", password: "\ud800" }],
      ["POST", "/auth/passkey/update-passkey", { id: "a\0", name: "b" }],
      ["POST", "/auth/passkey/delete-passkey", { id: "\0" }],
      ["POST", "/auth/passkey/verify-registration", { response: {}, name: "\0" }],
    ])("text that storage cannot keep is 400: %s %s", async (method, path, form) => {
      const answer = await browser.send(method, path, form);
      expect([answer.status, Math.floor((await answer.json()).error / 100)]).toEqual([400, 400]);
    });
  });
});
