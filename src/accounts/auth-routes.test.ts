import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { AUTH_METHODS, type AuthPath, isAuthPath } from "#core/auth.ts";
import { AuthBrowser, openAuth, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import type { AuthService } from "./auth-service.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const INVALID = { code: "member-invalid" };
const NEW_PASSWORD = "seven orange garden gnomes";

let opened: TestStore;
let auth: AuthService;
let browser: AuthBrowser;
let account: Account;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  auth = openAuth(opened.storage);
});
beforeEach(async () => {
  setSystemTime(NOW);
  ({ browser, account } = await signedIn(auth, opened.storage));
});
afterEach(() => void setSystemTime());
afterAll(() => opened.end());

/** These begin or end a session. */
const WITHOUT_SESSION: readonly AuthPath[] = [
  "/sign-in/email",
  "/sign-out",
  "/passkey/generate-authenticate-options",
  "/passkey/verify-authentication",
];

describe("a route of a session", () => {
  const routes = Object.keys(AUTH_METHODS).filter((path) => isAuthPath(path) && !WITHOUT_SESSION.includes(path));

  test.each(routes.filter(isAuthPath))(
    "%s is refused without one, before anything in its form counts",
    async (path) => {
      const body = { code: "000000", newPassword: NEW_PASSWORD, id: "x", name: "x" };
      await expect(new AuthBrowser(auth).send(path, body)).rejects.toMatchObject({ code: "session-missing" });
    },
  );
});

describe("a form", () => {
  test.each([
    ["/sign-in/email", "email", { password: PASSWORD }],
    ["/sign-in/email", "password", { email: "a@example.test" }],
    ["/sign-in/email", "rememberMe", { email: "a@example.test", password: PASSWORD, rememberMe: "yes" }],
    ["/sign-in/email", "password", { email: "a@example.test", password: "x".repeat(5000) }],
    ["/sign-in/email", "email", { email: ["a@example.test"], password: PASSWORD }],
    ["/change-password", "newPassword", { currentPassword: PASSWORD }],
    ["/change-password", "revokeTokens", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeTokens: 1 }],
    ["/two-factor/verify-totp", "code", { code: 123456 }],
    ["/passkey/update-passkey", "name", { id: "x" }],
    ["/passkey/delete-passkey", "id", { id: "x".repeat(101) }],
  ] as const)("of %s with a wrong %s is refused by the name of that member", async (path, member, body) => {
    await expect(browser.send(path, body)).rejects.toMatchObject({
      ...INVALID,
      message: expect.stringContaining(`Cannot take "${member}": `),
    });
  });

  test("that is missing is read as an empty one", async () => {
    await expect(browser.send("/sign-in/email")).rejects.toMatchObject(INVALID);
  });
});

describe("a change of the password", () => {
  test("keeps the session under a new cookie alone, with its end and without its copies", async () => {
    await browser.signIn(account, { rememberMe: false });
    const [copy, before] = [new AuthBrowser(auth, browser.jar.copy()), await browser.session()];
    const form = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect(await browser.send("/change-password", form)).toEqual({ active_tokens: 0, passkeys: 0, webhooks: 0 });
    expect(await copy.find()).toBeUndefined();
    const after = await browser.session();
    expect([after.id === before.id, after.expiresAt, after.remembered]).toEqual([false, before.expiresAt, false]);
    await expect(browser.signIn(account)).rejects.toMatchObject({ code: "sign-in-refused" });
    await browser.signIn(account, { password: NEW_PASSWORD });
  });

  test("to a weak one is refused, and changes neither the password nor the session", async () => {
    const form = { currentPassword: PASSWORD, newPassword: "short" };
    await expect(browser.send("/change-password", form)).rejects.toMatchObject(INVALID);
    expect(await browser.find()).toBeDefined();
    await new AuthBrowser(auth).signIn(account);
  });
});

describe("a code", () => {
  test("finishes the sign-in that is half done, and no setup of the session that the browser had before", async () => {
    await setUpSecondFactor(browser);
    await browser.signIn(account);
    expect(await browser.find()).toBeUndefined();
    await expect(browser.send("/two-factor/verify-totp", { code: "000000" })).rejects.toMatchObject({
      code: "second-factor-refused",
    });
  });

  test("of a setup asks for the proof again if it was made too long ago", async () => {
    await browser.send("/two-factor/enable", { password: PASSWORD });
    setSystemTime(NOW + 15 * 60_000 + 1);
    await expect(browser.send("/two-factor/verify-totp", { code: "000000" })).rejects.toMatchObject({
      code: "proof-needed",
    });
  });
});

describe("signing out", () => {
  test("clears what is half done and a passkey's challenge, and leaves what makes the browser known", async () => {
    await browser.send("/passkey/generate-authenticate-options");
    await browser.send("/sign-out");
    const left = ["session_token", "passkey", "device"].filter((name) => browser.jar.cookie(name) !== undefined);
    expect(left).toEqual(["device"]);
    await browser.send("/sign-out");
  });
});

test("a network gets 120 challenges of passkeys a minute; the next is refused, and another network's is not", async () => {
  const stranger = new AuthBrowser(auth);
  stranger.jar.address = "198.51.100.1";
  const ask = () => stranger.send("/passkey/generate-authenticate-options");
  for (let times = 0; times < 120; times++) await ask();
  await expect(ask()).rejects.toMatchObject({ code: "rate-limited" });
  stranger.jar.address = "198.51.100.2";
  await ask();
});
