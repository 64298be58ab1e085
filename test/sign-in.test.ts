import { afterAll, describe, expect, test } from "bun:test";
import { eventually } from "./support/eventually.ts";
import { expectRefused, expectRefusedWithinASecond } from "./support/refused.ts";
import { startService } from "./support/service.ts";
import { newAccount, PASSWORD, signedInBrowser, TestBrowser } from "./support/test-browser.ts";

const service = await startService();
afterAll(() => service.stop());

test("a refused sign-in is logged with its request id and address, and without what was typed", async () => {
  const answer = await new TestBrowser(service).signIn("typed-by-mistake@example.test", "typed secret");
  const requestId = answer.headers.get("Request-Id");
  const line = () => service.log().find(({ request_id }) => request_id === requestId);
  await eventually("the refusal is logged", () => line() !== undefined);
  expect(line()).toMatchObject({ level: "warn", path: "/auth/sign-in/email", address: "127.0.0.1" });
  expect(service.output()).not.toContain("typed");
});

test("the cookie is for HTTP alone, for this site alone, and the session's token is in no answer's body", async () => {
  const email = await newAccount(service);
  const browser = new TestBrowser(service);
  const answer = await browser.signIn(` ${email.toUpperCase()}`, PASSWORD);
  const texts = [await answer.text()];
  for (const path of ["session", "sessions"]) texts.push(await (await browser.get(`/dashboard/api/${path}`)).text());
  const [line = ""] = answer.headers.getSetCookie();
  expect(line).toMatch(/^plantstore\.session_token=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  const [value = "no value"] = decodeURIComponent(line.slice(line.indexOf("=") + 1)).split(".");
  expect(texts.join("\n")).not.toContain(value);
});

test("behind HTTPS the cookie is __Host- and Secure, and the answer asks for HTTPS from then on", async () => {
  const secure = await service.restart({ BASE_URL: "https://plants.example" });
  const email = await newAccount(secure);
  const browser = new TestBrowser(secure, { origin: "https://plants.example" });
  const answer = await browser.signIn(email, PASSWORD);
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-plantstore\.session_token=[^;]+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/,
  );
  expect(answer.headers.get("Strict-Transport-Security")).toStartWith("max-age=");
  expect(await browser.signedIn()).toBe(true);
  await secure.stop();
});

test("what a session was used for ends with it: a stolen cookie, and what its pages ask of the API", async () => {
  const { browser } = await signedInBrowser(service);
  const thief = browser.thief();
  const status = async () => (await thief.get("/dashboard/api/v1/plants/1")).status;
  expect([await thief.signedIn(), await status()]).toEqual([true, 404]);
  expect((await browser.post("/auth/sign-out")).status).toBe(200);
  expect([await thief.signedIn(), await status()]).toEqual([false, 401]);
  expect([...browser.cookies.keys()]).toEqual(["plantstore.device"]);
});

describe("a session alone is never enough", () => {
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
      (thief: TestBrowser) => thief.post("/dashboard/api/account/delete", { email: thief.signedInAs, stores: [] }),
    ],
  ])("a copied cookie does not change %s, even right after signing in", async (_, change) => {
    const { browser, email } = await signedInBrowser(service);
    const thief = browser.thief();
    thief.signedInAs = email;
    await expectRefused(await change(thief), 40354);
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
