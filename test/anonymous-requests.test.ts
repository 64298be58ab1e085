import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { DEFAULT_ENGINE } from "./support/engines.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const FLAG_OFF = { sqlite: 0, postgres: false } as const;

const service = await startService({ settings: { TRUSTED_PROXIES: "127.0.0.1" } });
const storage = await openStorage(service.environment.DATABASE_URL ?? "");
afterAll(async () => {
  await storage.store.close();
  await service.stop();
});

describe("requests of strangers", () => {
  function from(address: string): TestBrowser {
    return new TestBrowser(service, { headers: { "X-Forwarded-For": address } });
  }

  async function rowsOf(table: "verifications" | "attempts" | "sessions" | "trusted_devices"): Promise<number> {
    const query = storage.db.selectFrom(table).select((count) => count.fn.countAll<number>().as("count"));
    return Number((await query.executeTakeFirstOrThrow()).count);
  }

  async function countedAttempts(): Promise<number> {
    const query = storage.db.selectFrom("attempts").select((sum) => sum.fn.sum<number>("count").as("count"));
    return Number((await query.executeTakeFirstOrThrow()).count ?? 0);
  }

  test("a passkey's challenge is kept in the browser: asking for one writes nothing", async () => {
    const before = [await rowsOf("verifications"), await rowsOf("attempts")];
    for (let n = 0; n < 20; n++) {
      const answer = await from("198.51.100.1").get("/auth/passkey/generate-authenticate-options");
      expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([200, expect.stringContaining("HttpOnly")]);
    }
    expect([await rowsOf("verifications"), await rowsOf("attempts")]).toEqual(before);
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

  test("rolling a token is one act: the old one goes on if the new one cannot be kept", async () => {
    const { browser } = await signedInBrowser(service);
    const { token, secret } = await browser.makeToken();
    const source = { actor: { kind: "system", id: "", name: "test" } } as const;
    const account = (await storage.store.tokens.findByHash([hashOf(secret)])).values().next().value?.account ?? 0;
    const rolling = storage.store.tokens.roll(
      account,
      token.id,
      { secret, expiresAt: undefined, endsAt: Date.now() },
      source,
    );
    await expect(rolling).rejects.toThrow();
    const [listed] = await storage.reads.tokens.list(account);
    expect(listed).toMatchObject({ id: token.id, revokedAt: undefined });
  });

  test("no row of signing in outlives its account", async () => {
    const { browser, email } = await signedInBrowser(service);
    const account = await storage.store.accounts.find({ email });
    const id = account?.id ?? "";
    const off = FLAG_OFF[DEFAULT_ENGINE];
    await storage.db
      .insertInto("second_factors")
      .values({ id, secret: "s", backup_codes: "b", user_id: id, verified: off })
      .execute();
    const form = { email, password: PASSWORD };
    expect((await browser.post("/dashboard/api/account/delete", form)).status).toBe(204);
    for (const table of ["sessions", "second_factors", "passkeys", "trusted_devices", "credentials"] as const) {
      expect([table, await storage.db.selectFrom(table).select("id").where("user_id", "=", id).execute()]).toEqual([
        table,
        [],
      ]);
    }
    expect(await storage.db.selectFrom("verifications").select("id").where("value", "=", id).execute()).toEqual([]);
  });
});

function hashOf(secret: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(secret).digest();
}
