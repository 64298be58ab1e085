import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { SoftwareAuthenticator } from "./support/authenticator.ts";
import { startService, type TestService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";
import { earlierTotpCode, totpCode } from "./support/totp.ts";

const NEW_TOKEN = { name: "Till", scopes: ["plants:read"], expires_at: null };
const PROOF_NEEDED = 40354;

describe("a session alone is never enough", () => {
  let service: TestService;
  /** A service behind a host name, since a passkey belongs to one. */
  let named: { url: string } & TestService;
  let storage: Storage;

  beforeAll(async () => {
    service = await startService();
    named = { ...service, url: service.url.replace("127.0.0.1", "localhost") };
    storage = await openStorage(service.environment.DATABASE_URL ?? "");
  });
  afterAll(async () => {
    await storage.store.close();
    await service.stop();
  });

  /** As if the account had signed in, or proved who it is, 16 minutes ago. */
  async function ageProofs(email: string): Promise<void> {
    const account = await storage.store.accounts.findByEmail(email);
    const ago = Date.now() - 16 * 60_000;
    await storage.db
      .updateTable("sessions")
      .set({ proved_at: ago })
      .where("user_id", "=", account?.id ?? "")
      .execute();
  }

  function prove(browser: TestBrowser, form: object = { password: PASSWORD }): Promise<Response> {
    return browser.post("/dashboard/api/proof", form);
  }

  async function refusal(answer: Promise<Response>): Promise<number> {
    const { status } = await answer;
    return status === 200 ? 200 : (await (await answer).json()).error;
  }

  async function withSecondFactor(to: TestService = service) {
    const { browser, email } = await signedInBrowser(to);
    const { totpURI: uri } = await (await browser.post("/auth/two-factor/enable", { password: PASSWORD })).json();
    expect((await browser.post("/auth/two-factor/verify-totp", { code: await earlierTotpCode(uri) })).status).toBe(200);
    return { browser, email, uri };
  }

  test("a token is made and rolled only within 15 minutes of a proof; a copied cookie makes none after that", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { token } = await (await browser.post("/dashboard/api/tokens", NEW_TOKEN)).json();
    await ageProofs(email);
    const thief = browser.thief();
    const roll = () => thief.post(`/dashboard/api/tokens/${token.id}/roll`, { overlap_seconds: 0 });
    expect(await refusal(thief.post("/dashboard/api/tokens", NEW_TOKEN))).toBe(PROOF_NEEDED);
    expect(await refusal(roll())).toBe(PROOF_NEEDED);
    expect(await refusal(prove(thief, { password: "not the password" }))).toBe(40351);
    const proof = await prove(browser);
    const { until } = await proof.json();
    expect(Date.parse(until) - Date.now()).toBeWithin(14 * 60_000, 15 * 60_000 + 1);
    expect(await refusal(browser.post("/dashboard/api/tokens", NEW_TOKEN))).toBe(200);
    expect(await refusal(roll())).toBe(200);
  }, 60_000);

  test.each([
    [
      "the e-mail address",
      (thief: TestBrowser) => thief.send("PATCH", "/dashboard/api/account", { email: "t@evil.test" }),
    ],
    [
      "the password",
      (thief: TestBrowser) => thief.post("/auth/change-password", { newPassword: "thief in the night" }),
    ],
    ["the second factor", (thief: TestBrowser) => thief.post("/auth/two-factor/enable", {})],
    ["the passkeys", (thief: TestBrowser) => thief.get("/auth/passkey/generate-register-options")],
    [
      "the account itself",
      (thief: TestBrowser) => thief.post("/dashboard/api/account/delete", { email: thief.signedInAs }),
    ],
  ])("a copied cookie does not change %s, even right after signing in", async (_, change) => {
    const { browser, email } = await signedInBrowser(service);
    const thief = browser.thief();
    thief.signedInAs = email;
    expect(await refusal(change(thief))).toBe(PROOF_NEEDED);
    expect(await browser.signedIn()).toBe(true);
  });

  test("a proof made in the last 15 minutes is enough for a change, and an older one is not", async () => {
    const { browser, email } = await signedInBrowser(service);
    await prove(browser);
    const change = (newPassword: string) => browser.post("/auth/change-password", { newPassword });
    expect(await refusal(change("ficus under the stairs"))).toBe(200);
    await ageProofs(email);
    expect(await refusal(change("calathea by the window"))).toBe(PROOF_NEEDED);
  });

  test("with a second factor a proof takes the code as well, and a second factor is not replaced without one", async () => {
    const { browser, email, uri } = await withSecondFactor();
    await ageProofs(email);
    const thief = browser.thief();
    expect(await refusal(prove(thief))).toBe(40153);
    expect(await refusal(thief.post("/auth/two-factor/enable", { password: PASSWORD }))).toBe(PROOF_NEEDED);
    const form = { currentPassword: PASSWORD, newPassword: "ficus under the stairs" };
    expect(await refusal(thief.post("/auth/change-password", form))).toBe(PROOF_NEEDED);
    const setup = await browser.post("/auth/two-factor/enable", { password: PASSWORD, code: totpCode(uri) });
    expect(setup.status).toBe(200);
    // Until the new one's first code the old one is in effect.
    expect(await (await new TestBrowser(service).signIn(email, PASSWORD)).json()).toEqual({ two_factor: true });
    const { totpURI: next } = await setup.json();
    const other = new TestBrowser(service);
    await other.signIn(email, PASSWORD);
    expect(await refusal(other.post("/auth/two-factor/verify-totp", { code: totpCode(uri, 1) }))).toBe(200);
    expect(await refusal(browser.post("/auth/two-factor/verify-totp", { code: totpCode(next) }))).toBe(200);
  }, 60_000);

  test("adding and removing a passkey each ask for a proof of their own", async () => {
    const { browser } = await signedInBrowser(named);
    const device = new SoftwareAuthenticator(named.url);
    const options = () => browser.get("/auth/passkey/generate-register-options");
    expect(await refusal(options())).toBe(PROOF_NEEDED);
    await prove(browser);
    const response = device.register(await (await options()).json());
    const add = () => browser.post("/auth/passkey/verify-registration", { response, name: "Till" });
    expect((await add()).status).toBe(200);
    expect(await refusal(options())).toBe(PROOF_NEEDED);
    const [passkey] = await (await browser.get("/auth/passkey/list-user-passkeys")).json();
    const remove = (form: object = {}) => browser.post("/auth/passkey/delete-passkey", { id: passkey.id, ...form });
    expect(await refusal(remove())).toBe(PROOF_NEEDED);
    // A passkey that verified its holder is a proof, too.
    const challenge = await (await browser.get("/auth/passkey/generate-authenticate-options")).json();
    expect((await prove(browser, { passkey: device.sign(challenge) })).status).toBe(200);
    expect((await remove()).status).toBe(200);
  }, 60_000);

  test("the passkey of another account is no proof", async () => {
    const { browser } = await signedInBrowser(named);
    const stranger = await signedInBrowser(named);
    const device = new SoftwareAuthenticator(named.url);
    await prove(stranger.browser);
    const options = await (await stranger.browser.get("/auth/passkey/generate-register-options")).json();
    await stranger.browser.post("/auth/passkey/verify-registration", { response: device.register(options) });
    const challenge = await (await browser.get("/auth/passkey/generate-authenticate-options")).json();
    expect(await refusal(prove(browser, { passkey: device.sign(challenge) }))).toBe(40153);
  }, 60_000);

  test("a sign-in under way with the old password does not outlive its change", async () => {
    const { browser, email } = await signedInBrowser(service);
    let password = PASSWORD;
    for (let round = 0; round < 8; round++) {
      const rivals = [new TestBrowser(service), new TestBrowser(service)];
      const newPassword = `calathea by window ${round}`;
      const [changed] = await Promise.all([
        browser.post("/auth/change-password", { currentPassword: password, newPassword }),
        ...rivals.map((rival) => rival.signIn(email, password)),
      ]);
      expect(changed?.status).toBe(200);
      expect(await Promise.all(rivals.map((rival) => rival.signedIn()))).toEqual([false, false]);
      password = newPassword;
    }
    expect(await browser.signedIn()).toBe(true);
  }, 60_000);

  test("a half-done sign-in does not outlive a change of the password", async () => {
    const { browser, email, uri } = await withSecondFactor();
    const half = new TestBrowser(service);
    await half.signIn(email, PASSWORD);
    const form = { currentPassword: PASSWORD, newPassword: "ficus under the stairs" };
    expect((await browser.post("/auth/change-password", form)).status).toBe(200);
    expect((await half.post("/auth/two-factor/verify-totp", { code: totpCode(uri) })).status).toBe(401);
    expect(await half.signedIn()).toBe(false);
  }, 60_000);

  test("a change of the password tells what still gets in, and ends it where asked", async () => {
    const { browser } = await signedInBrowser(service);
    const { secret } = await (await browser.post("/dashboard/api/tokens", NEW_TOKEN)).json();
    const change = (form: object) => browser.post("/auth/change-password", form);
    const first = await change({ currentPassword: PASSWORD, newPassword: "ficus under the stairs" });
    expect(await first.json()).toEqual({ active_tokens: 1, passkeys: 0, webhooks: 0 });
    const more = { revokeTokens: true, removePasskeys: true };
    const second = await change({ currentPassword: "ficus under the stairs", newPassword: PASSWORD, ...more });
    expect(await second.json()).toEqual({ active_tokens: 0, passkeys: 0, webhooks: 0 });
    await Bun.sleep(1000);
    const headers = { Authorization: `Bearer ${secret}` };
    expect((await fetch(`${service.url}/v1/plants`, { headers })).status).toBe(401);
  }, 60_000);

  test("trusted devices are listed and forgotten, and do not survive switching the second factor off and on", async () => {
    const { browser, email, uri } = await withSecondFactor();
    const trusted = new TestBrowser(service);
    await trusted.signIn(email, PASSWORD);
    await trusted.post("/auth/two-factor/verify-totp", { code: totpCode(uri), trustDevice: true });
    const list = async (from: TestBrowser) => (await (await from.get("/dashboard/api/trusted-devices")).json()).devices;
    expect(await list(trusted)).toMatchObject([{ current: true, device: "Firefox on Linux", address: "127.0.0.1" }]);
    const [device] = await list(browser);
    expect(device.current).toBe(false);
    const stranger = await signedInBrowser(service);
    const forget = (from: TestBrowser) => from.post(`/dashboard/api/trusted-devices/${device.id}/forget`);
    expect((await forget(stranger.browser)).status).toBe(404);
    expect(await (await trusted.signIn(email, PASSWORD)).json()).toEqual({ two_factor: false });
    expect((await forget(browser)).status).toBe(204);
    expect(await list(browser)).toEqual([]);
    expect(await (await trusted.signIn(email, PASSWORD)).json()).toEqual({ two_factor: true });

    await trusted.post("/auth/two-factor/verify-totp", { code: totpCode(uri, 1), trustDevice: true });
    expect(await list(browser)).toHaveLength(1);
    expect((await browser.post("/auth/two-factor/disable", { password: PASSWORD })).status).toBe(200);
    const again = await (await browser.post("/auth/two-factor/enable", { password: PASSWORD })).json();
    await browser.post("/auth/two-factor/verify-totp", { code: totpCode(again.totpURI) });
    expect(await (await trusted.signIn(email, PASSWORD)).json()).toEqual({ two_factor: true });
  }, 60_000);

  test("a session that is not remembered ends with the browser and within a day, whichever cookies are left out", async () => {
    const { browser, email } = await signedInBrowser(service);
    const answer = await browser.post("/auth/sign-in/email", { email, password: PASSWORD, rememberMe: false });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^plantstore\.session_token=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const only = new TestBrowser(service);
    only.cookies.set("plantstore.session_token", browser.cookies.get("plantstore.session_token") ?? "");
    const account = await storage.store.accounts.findByEmail(email);
    const sessions = storage.db.updateTable("sessions").where("user_id", "=", account?.id ?? "");
    await sessions.set({ updated_at: new Date(Date.now() - 10 * 60_000) }).execute();
    const used = await only.get("/dashboard/api/session");
    expect([used.status, used.headers.getSetCookie()]).toEqual([200, []]);
    const rows = await storage.db
      .selectFrom("sessions")
      .selectAll()
      .where("user_id", "=", account?.id ?? "")
      .execute();
    for (const row of rows) {
      expect(new Date(row.expires_at).getTime() - new Date(row.created_at).getTime()).toBeLessThanOrEqual(86_400_000);
    }
  });
});
