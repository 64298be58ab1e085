import { afterAll, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import { expectRefusedWithinASecond } from "./support/refused.ts";
import { startService } from "./support/service.ts";
import { PASSWORD, signedInBrowser, type TestBrowser } from "./support/test-browser.ts";

const NEW_TOKEN = { name: "Till", scopes: ["plants:read"], expires_at: null };
const PROOF_NEEDED = 40354;

const service = await startService();
const storage = await openStorage(service.environment.DATABASE_URL ?? "");
afterAll(async () => {
  await storage.records.close();
  await service.stop();
});

describe("a session alone is never enough", () => {
  /** As if the account had signed in, or proved who it is, 16 minutes ago. */
  async function ageProofs(email: string): Promise<void> {
    const account = await storage.records.people.find({ email });
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

  test("a token is made and rolled only within 15 minutes of a proof; a copied cookie makes none after that", async () => {
    const { browser, email } = await signedInBrowser(service);
    const { token } = await browser.makeToken();
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
  });

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

  test("a change of the password tells what still gets in, and ends it where asked", async () => {
    const { browser } = await signedInBrowser(service);
    const { secret } = await browser.makeToken();
    const change = (form: object) => browser.post("/auth/change-password", form);
    const first = await change({ currentPassword: PASSWORD, newPassword: "ficus under the stairs" });
    expect(await first.json()).toEqual({ active_tokens: 1, passkeys: 0, identities: 0, webhooks: 0 });
    const more = { revokeTokens: true, removePasskeys: true };
    const second = await change({ currentPassword: "ficus under the stairs", newPassword: PASSWORD, ...more });
    expect(await second.json()).toEqual({ active_tokens: 0, passkeys: 0, identities: 0, webhooks: 0 });
    await expectRefusedWithinASecond(async () => (await service.send("GET", "/v1/plants", { as: secret })).status);
  });
});
