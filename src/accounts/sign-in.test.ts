import { beforeEach, describe, expect, setSystemTime, spyOn, test } from "bun:test";
import { MINUTE_MS } from "#core/duration.ts";
import type { Throttle } from "#storage/throttle.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { AuthBrowser, quickAccount, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { eventually } from "#test/support/eventually.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import type { Holder } from "#test/support/test-account.ts";
import { totpCode } from "#test/support/totp.ts";
import { AccountService } from "./account-service.ts";
import { SIGN_IN_BY_ADDRESS, SIGN_IN_BY_BOTH, SIGN_IN_BY_DEVICE } from "./sign-in.ts";

const REFUSED = { code: "sign-in-refused", message: "The e-mail address or the password is wrong" };
const MISSING = { code: "session-missing" };
const LIMITED = { code: "rate-limited" };

const { opened, storage, auth, throttle } = await openTestAuth();
let person: Holder;
/** Each test has a network of its own, so that the limits of one do not reach the next. */
let network = 0;
beforeEach(async () => {
  network++;
  person = await quickAccount(storage);
});

function newBrowser(): AuthBrowser {
  const browser = new AuthBrowser(auth);
  browser.jar.address = `192.0.2.${network}`;
  return browser;
}

const wrong = (browser: AuthBrowser, email = person.email) =>
  browser.signIn({ email }, { password: "not the password" });

/** Uses up all attempts but one without the work of checking a password. */
async function useUp(...counted: Parameters<Throttle["count"]>[0][number][]): Promise<void> {
  for (const one of counted) for (let left = one[0].max; left > 1; left--) await throttle.count([one]);
}

async function actions(): Promise<string[]> {
  return (await opened.reads.audit.list(person.id, { limit: 100 })).found.map(({ action }) => action);
}

describe("a sign-in with a password", () => {
  test("is refused in the same words for a wrong password, an unknown account, and no password at all", async () => {
    const browser = newBrowser();
    await expect(wrong(browser)).rejects.toMatchObject(REFUSED);
    await expect(wrong(browser, "nobody@example.test")).rejects.toMatchObject(REFUSED);
    await expect(browser.signIn(person, { password: "" })).rejects.toMatchObject(REFUSED);
    expect(browser.jar.cookie("session_token")).toBeUndefined();
    const failed = async () => (await actions()).filter((action) => action === "sign_in.failed").length;
    await eventually("the refusals of the known account are in its audit log", async () => (await failed()) === 2);
  });

  test("is refused after ten wrong passwords from one network, the right one too, for a quarter of an hour", async () => {
    await useUp([SIGN_IN_BY_BOTH, `${person.email} 192.0.2.${network}`]);
    await expect(wrong(newBrowser())).rejects.toMatchObject(REFUSED);
    await expect(newBrowser().signIn(person)).rejects.toMatchObject({
      ...LIMITED,
      detail: { headers: { "Retry-After": String(15 * 60) } },
    });
    setSystemTime(NOW + 15 * MINUTE_MS - 1);
    await expect(newBrowser().signIn(person)).rejects.toMatchObject(LIMITED);
    setSystemTime(NOW + 15 * MINUTE_MS);
    await newBrowser().signIn(person);
  });

  test("stays possible in a browser that signed in before, while strangers use up the attempts", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    await useUp([SIGN_IN_BY_BOTH, `${person.email} 192.0.2.${network}`]);
    await expect(wrong(newBrowser())).rejects.toMatchObject(REFUSED);
    await expect(newBrowser().signIn(person)).rejects.toMatchObject(LIMITED);
    await browser.signIn(person);
  });

  test("that began before a change of the password gives no session after it", async () => {
    const browser = newBrowser();
    const { verify } = Bun.password;
    const also = { revokeTokens: false, removePasskeys: false };
    using _ = spyOn(Bun.password, "verify").mockImplementationOnce(async (...given) => {
      await new AccountService(storage).setPassword(person.email, "seven orange garden gnomes", also, TEST_SOURCE);
      return verify(...given);
    });
    await expect(browser.signIn(person)).rejects.toMatchObject(REFUSED);
    expect(await browser.find()).toBeUndefined();
    expect(await actions()).not.toContain("sign_in.succeeded");
  });

  test("has a limit in such a browser too", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    const device = decodeURIComponent(browser.jar.cookie("device") ?? "").split(/[:.]/)[1] ?? "";
    await useUp([SIGN_IN_BY_DEVICE, device]);
    await expect(wrong(browser)).rejects.toMatchObject(REFUSED);
    await expect(browser.signIn(person)).rejects.toMatchObject(LIMITED);
  });

  test("gives the browser of one account no further attempts at another account", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    const other = await quickAccount(storage);
    await useUp([SIGN_IN_BY_BOTH, `${other.email} 192.0.2.${network}`]);
    await expect(wrong(browser, other.email)).rejects.toMatchObject(REFUSED);
    await expect(browser.signIn(other)).rejects.toMatchObject(LIMITED);
  });
});

describe("a sign-in with a second factor", () => {
  let uri: string;
  beforeEach(async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    ({ uri } = await setUpSecondFactor(browser));
  });

  const code = (browser: AuthBrowser, more: Record<string, unknown> = {}) =>
    browser.send("/two-factor/verify-totp", { code: totpCode(uri), ...more });

  test("is half done after the password, and opens the session with the code", async () => {
    const browser = newBrowser();
    expect(await browser.signIn(person)).toEqual({ two_factor: true });
    expect(await browser.find()).toBeUndefined();
    await code(browser);
    expect((await browser.session()).person.id).toBe(person.id);
    expect(browser.jar.cookie("two_factor")).toBeUndefined();
  });

  test("remembers the browser or not as it was asked to with the password", async () => {
    const browser = newBrowser();
    await browser.signIn(person, { rememberMe: false });
    await code(browser);
    expect((await browser.session()).remembered).toBe(false);
  });

  test("ends the session that the browser had already with the password", async () => {
    const { browser } = await signedIn(auth, storage);
    const before = browser.jar.copy();
    await browser.signIn(person);
    expect(await browser.find()).toBeUndefined();
    expect(await new AuthBrowser(auth, before).find()).toBeUndefined();
  });

  test("takes a code only within ten minutes after the password, and only from the browser that gave it", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    await expect(code(newBrowser())).rejects.toMatchObject(MISSING);
    setSystemTime(NOW + 10 * MINUTE_MS);
    await expect(code(browser)).rejects.toMatchObject(MISSING);
  });

  test("is over when the password is changed, and its code is not even looked at", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    const also = { revokeTokens: false, removePasskeys: false };
    await new AccountService(storage).setPassword(person.email, "seven orange garden gnomes", also, TEST_SOURCE);
    await expect(browser.send("/two-factor/verify-totp", { code: "000000" })).rejects.toMatchObject(MISSING);
    expect(await actions()).not.toContain("sign_in.second_factor_failed");
  });

  test("is over when the operator removes the second factor: the password is asked for anew", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    await new AccountService(storage).dropSecondFactor(person.email, TEST_SOURCE);
    await expect(code(browser)).rejects.toMatchObject(MISSING);
    expect(await newBrowser().signIn(person)).toEqual({ two_factor: false });
  });

  test("is half done for an account that is removed meanwhile, and then refused like any other", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    await opened.records.people.remove(person, undefined, TEST_SOURCE);
    await expect(code(browser)).rejects.toMatchObject(MISSING);
  });

  test("takes no code in a browser that is trusted, which still needs the password", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    await code(browser, { trustDevice: true });
    expect(await browser.signIn(person)).toEqual({ two_factor: false });
    await expect(wrong(browser)).rejects.toMatchObject(REFUSED);
    browser.jar.drop("trusted_device");
    expect(await browser.signIn(person)).toEqual({ two_factor: true });
  });
});

describe("a sign-in with a passkey", () => {
  test("is refused after forty refusals from one network", async () => {
    const browser = newBrowser();
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await useUp([SIGN_IN_BY_ADDRESS, `192.0.2.${network}`]);
    await expect(browser.signInWithPasskey(device)).rejects.toMatchObject({ code: "second-factor-refused" });
    await expect(browser.signInWithPasskey(device)).rejects.toMatchObject(LIMITED);
  });

  test("needs no code of the second factor, and is entered as what it is", async () => {
    const browser = newBrowser();
    await browser.signIn(person);
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    await setUpSecondFactor(browser);
    const elsewhere = newBrowser();
    await elsewhere.signInWithPasskey(device);
    expect(await elsewhere.session()).toMatchObject({ person: { id: person.id }, remembered: true });
    expect(elsewhere.jar.cookie("passkey")).toBeUndefined();
    const [entry] = (await opened.reads.audit.list(person.id, { limit: 1 })).found;
    expect(entry).toMatchObject({ action: "sign_in.succeeded", detail: { method: "passkey", new_device: true } });
  });
});
