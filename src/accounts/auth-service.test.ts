import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { MINUTE_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { AuthBrowser, openAuth, quickAccount, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { SIGN_IN_BY_ADDRESS } from "./sign-in.ts";
import { SIGN_UP_BY_ADDRESS } from "./sign-up.ts";

const INVALID = { code: "member-invalid" };
const NEW_PASSWORD = "seven orange garden gnomes";

const { storage, auth, throttle } = await openTestAuth();
let browser: AuthBrowser;
let person: Person;
beforeEach(async () => {
  ({ browser, person } = await signedIn(auth, storage));
});

test.each([
  ["/sign-in/email", "email", { password: PASSWORD }],
  ["/sign-in/email", "rememberMe", { email: "a@example.test", password: PASSWORD, rememberMe: "yes" }],
  ["/sign-in/email", "password", { email: "a@example.test", password: "x".repeat(5000) }],
  ["/change-password", "newPassword", { currentPassword: PASSWORD }],
  ["/change-password", "revokeTokens", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, revokeTokens: 1 }],
  ["/two-factor/verify-totp", "code", { code: 123456 }],
  ["/passkey/update-passkey", "name", { id: "x" }],
  ["/passkey/delete-passkey", "id", { id: "x".repeat(101) }],
] as const)("a form of %s with a wrong %s is refused by the name of that member", async (path, member, body) => {
  const message = expect.stringContaining(`Cannot take "${member}": `);
  const code = member in body ? "member-invalid" : "body-not-a-plant";
  await expect(browser.send(path, body)).rejects.toMatchObject({ code, message });
});

describe("the cookies of an answer", () => {
  /** The cookies of the answer, each as its name and whether it is set or cleared. */
  async function answered(path: string, body?: Record<string, unknown>): Promise<string[]> {
    await browser.send(path, body);
    return browser.cookies.map(
      (line) => `${/\.(\w+)=/.exec(line)?.[1]} ${line.includes("Max-Age=0") ? "cleared" : "set"}`,
    );
  }

  test("name each one once, also where a password is given again before the code", async () => {
    await setUpSecondFactor(browser);
    const form = { email: person.email, password: PASSWORD };
    expect(await answered("/sign-in/email", form)).toEqual(["session_token cleared", "two_factor set"]);
    expect(await answered("/sign-in/email", form)).toEqual(["two_factor set"]);
  });

  test("renew the session's own wherever its use keeps it alive, and are of the new one where it changes", async () => {
    const renewed = ["session_token set"];
    const uses: readonly [string, string[], Record<string, unknown>?][] = [
      ["/passkey/list-user-passkeys", renewed],
      ["/change-password", renewed, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }],
      ["/two-factor/enable", renewed, { password: NEW_PASSWORD }],
    ];
    for (const [count, [path, cookies, body]] of uses.entries()) {
      setSystemTime(NOW + (count + 1) * 5 * MINUTE_MS);
      expect([path, await answered(path, body)]).toEqual([path, cookies]);
      expect(await browser.find()).toBeDefined();
    }
    setSystemTime(NOW + 20 * MINUTE_MS);
    expect(await answered("/passkey/generate-authenticate-options")).toEqual([...renewed, "passkey set"]);
  });
});

describe("a change of the password", () => {
  test("keeps the session under a new cookie alone, with its end and without its copies", async () => {
    await browser.signIn(person, { rememberMe: false });
    const [copy, before] = [new AuthBrowser(auth, browser.jar.copy()), await browser.session()];
    const form = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect(await browser.send("/change-password", form)).toEqual({
      active_tokens: 0,
      passkeys: 0,
      identities: 0,
      webhooks: 0,
    });
    expect(await copy.find()).toBeUndefined();
    const after = await browser.session();
    expect([after.id === before.id, after.expiresAt, after.remembered]).toEqual([false, before.expiresAt, false]);
    await expect(browser.signIn(person)).rejects.toMatchObject({ code: "sign-in-refused" });
    await browser.signIn(person, { password: NEW_PASSWORD });
  });

  test("to a weak one is refused, and changes neither the password nor the session", async () => {
    const form = { currentPassword: PASSWORD, newPassword: "short" };
    await expect(browser.send("/change-password", form)).rejects.toMatchObject(INVALID);
    expect(await browser.find()).toBeDefined();
    await new AuthBrowser(auth).signIn(person);
  });
});

describe("a code", () => {
  test("finishes the sign-in that is half done, and no setup of the session that the browser had before", async () => {
    await setUpSecondFactor(browser);
    await browser.signIn(person);
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

const form = (password = PASSWORD) => ({ email: `${crypto.randomUUID()}@example.test`, password });

describe("a sign-up", () => {
  test("signs the new account in where others of its network have used up the attempts to sign in", async () => {
    const browser = new AuthBrowser(auth);
    browser.jar.address = "192.0.2.40";
    for (let left = SIGN_IN_BY_ADDRESS.max; left > 0; left--)
      await throttle.count([[SIGN_IN_BY_ADDRESS, "192.0.2.40"]]);
    const { cookies } = await auth.signUps.make(browser.client, form());
    browser.jar.take(cookies);
    expect(await browser.find()).toBeDefined();
  });

  test("is refused after twenty of one network in a quarter of an hour, an IPv6 network being /64", async () => {
    const browser = new AuthBrowser(auth);
    browser.jar.address = "2001:db8::1";
    const weak = () => auth.signUps.make(browser.client, form("short"));
    for (let times = 0; times < SIGN_UP_BY_ADDRESS.max; times++) {
      await expect(weak()).rejects.toMatchObject({ code: "member-invalid" });
    }
    browser.jar.address = "2001:db8::2:2";
    await expect(auth.signUps.make(browser.client, form())).rejects.toMatchObject({ code: "rate-limited" });
    browser.jar.address = "2001:db8:0:1::1";
    await expect(weak()).rejects.toMatchObject({ code: "member-invalid" });
  });
});

test("the secret that signs cookies is made once and kept: nodes and restarts without SECRET take each other's cookies", async () => {
  const [first, second] = [openAuth(storage, { secret: undefined }), openAuth(storage, { secret: undefined })];
  const person = await quickAccount(storage);
  const [browser, other] = [new AuthBrowser(first), new AuthBrowser(second)];
  await Promise.all([browser.signIn(person), other.signIn(person)]);
  expect(await new AuthBrowser(second, browser.jar).find()).toBeDefined();
  expect(await new AuthBrowser(first, other.jar).find()).toBeDefined();
  expect(await new AuthBrowser(auth, browser.jar).find()).toBeUndefined();
});
