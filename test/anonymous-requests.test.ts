import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { DEFAULT_ENGINE } from "./support/engines.ts";
import { startService, type TestService } from "./support/service.ts";
import { newAccount, PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const FLAG_OFF = { sqlite: 0, postgres: false } as const;

describe("requests of strangers", () => {
  let service: TestService;
  let storage: Storage;

  beforeAll(async () => {
    service = await startService({ settings: { TRUSTED_PROXIES: "127.0.0.1" } });
    storage = await openStorage(service.environment.DATABASE_URL ?? "");
  });
  afterAll(async () => {
    await storage.store.close();
    await service.stop();
  });

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
  }, 60_000);

  test("an IPv6 network of /64 is counted as one", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const guess = await from(`2001:db8:7:7::${n.toString(16)}`).signIn("sixth@example.test", "not the password");
      statuses.push(guess.status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await from("2001:db8:7:8::1").signIn("sixth@example.test", "not the password")).status).toBe(401);
  }, 60_000);

  test("strangers cannot lock an account's own browser out, and that browser's guesses are limited on their own", async () => {
    const email = await newAccount(service);
    const owner = from("203.0.113.1");
    expect((await owner.signIn(email, PASSWORD)).status).toBe(200);
    await owner.post("/auth/sign-out");
    for (let n = 0; n < 21; n++) await from(`198.51.100.${100 + n}`).signIn(email, "not the password");
    expect((await from("203.0.113.2").signIn(email, PASSWORD)).status).toBe(429);
    expect((await owner.signIn(email, PASSWORD)).status).toBe(200);

    const statuses: number[] = [];
    for (let n = 0; n < 11; n++) statuses.push((await owner.signIn(email, "not the password")).status);
    expect([statuses.slice(0, 10).every((status) => status === 401), statuses[10]]).toEqual([true, 429]);
    const stranger = from("203.0.113.1");
    stranger.cookies.set("plantstore.device", (owner.cookies.get("plantstore.device") ?? "").replace(/^./, "x"));
    expect((await stranger.signIn(email, PASSWORD)).status).toBe(429);
  }, 60_000);

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

  test("an account has at most 1,000 active tokens, over the dashboard and the command line alike", async () => {
    const { browser, email } = await signedInBrowser(service);
    const account = await storage.store.accounts.findByEmail(email);
    const rows = Array.from({ length: 999 }, (_, n) => ({
      id: `tok_${email}_${n}`,
      account: account?.number ?? 0,
      name: `token ${n}`,
      hash: new Bun.CryptoHasher("sha256").update(`${email} ${n}`).digest(),
      hint: "plant_0000…0000",
      scopes: "plants:read",
      created_at: Date.now(),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      session_id: null,
    }));
    for (let at = 0; at < rows.length; at += 333) {
      await storage.db
        .insertInto("tokens")
        .values(rows.slice(at, at + 333))
        .execute();
    }
    const form = { name: "Till", scopes: ["plants:read"], expires_at: null };
    const made = await Promise.all(Array.from({ length: 4 }, () => browser.post("/dashboard/api/tokens", form)));
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const refused = made.find(({ status }) => status === 409);
    expect(await refused?.json()).toMatchObject({ error: 40902, message: expect.stringContaining("1000") });
    await expect(service.command("token", "create", "--account", email, "--name", "one more")).rejects.toThrow("limit");
    expect((await browser.post(`/dashboard/api/tokens/${rows[0]?.id}/revoke`)).status).toBe(200);
    expect((await browser.post("/dashboard/api/tokens", form)).status).toBe(200);
    const revoked = await browser.post("/dashboard/api/tokens/revoke-all");
    expect(await revoked.json()).toEqual({ revoked: 1000 });
  }, 60_000);

  test("the command line takes no longer a token's name than the dashboard", async () => {
    const email = await newAccount(service);
    const create = service.command("token", "create", "--account", email, "--name", "x".repeat(51));
    await expect(create).rejects.toThrow("50 characters");
  });

  test("a session has few tokens for its pages: the oldest gives way", async () => {
    const { browser } = await signedInBrowser(service);
    const tokens: string[] = [];
    for (let n = 0; n < 12; n++) tokens.push((await (await browser.post("/dashboard/api/access-token")).json()).token);
    const statusOf = async (token = "") => {
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${service.url}/v1/plants?limit=1`, { headers })).status;
    };
    expect([await statusOf(tokens[0]), await statusOf(tokens.at(-1))]).toEqual([401, 200]);
  });

  test("rolling a token is one act: the old one goes on if the new one cannot be kept", async () => {
    const { browser } = await signedInBrowser(service);
    const form = { name: "Till", scopes: ["plants:read"], expires_at: new Date(Date.now() + 90_000_000).toISOString() };
    const { token, secret } = await (await browser.post("/dashboard/api/tokens", form)).json();
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

    const roll = (more: object) =>
      browser.post(`/dashboard/api/tokens/${token.id}/roll`, { overlap_seconds: 60, ...more });
    const renewed = (await (await roll({})).json()).token;
    const term = Date.parse(renewed.expires_at) - Date.parse(renewed.created_at);
    expect(Math.abs(term - (Date.parse(token.expires_at) - Date.parse(token.created_at)))).toBeLessThan(2000);
    expect((await (await roll({ expires_at: null })).json()).token.expires_at).toBe(null);
  });

  test("no row of signing in outlives its account", async () => {
    const { browser, email } = await signedInBrowser(service);
    const account = await storage.store.accounts.findByEmail(email);
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
