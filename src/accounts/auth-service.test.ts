import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { SIGN_IN_BY_ADDRESS, SIGN_UP_BY_ADDRESS } from "#load/limits.ts";
import { Throttle } from "#storage/throttle.ts";
import { AuthBrowser, openAuth, quickAccount, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { totpCode } from "#test/support/totp.ts";
import type { AuthService } from "./auth-service.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const MINUTE_MS = 60_000;

let opened: TestStore;
let auth: AuthService;
let throttle: Throttle;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  auth = openAuth(opened.storage);
  throttle = new Throttle(opened.storage);
});
beforeEach(() => void setSystemTime(NOW));
afterEach(() => void setSystemTime());
afterAll(() => opened.end());

const form = (more: object = {}) => {
  return {
    code: undefined,
    email: `${crypto.randomUUID()}@example.test`,
    password: PASSWORD,
    name: undefined,
    ...more,
  };
};

async function queued(): Promise<unknown[]> {
  const mails: unknown[] = [];
  for (let mail = await take(); mail; mail = await take()) mails.push(mail.mail);
  return mails;
}

async function take() {
  const mail = await opened.storage.mail.takeDue(Date.now(), Date.now() + MINUTE_MS);
  if (mail) await opened.storage.mail.remove(mail.id);
  return mail;
}

describe("a sign-up", () => {
  test("makes the account, signs it in, and mails a link to its address", async () => {
    await queued();
    const browser = new AuthBrowser(auth);
    const asked = form({ name: "Moss & Co" });
    browser.jar.take(await auth.signUp(browser.client, asked));
    const { account, remembered } = await browser.session();
    expect(account).toMatchObject({ email: asked.email, name: "Moss & Co", emailVerified: false });
    expect(remembered).toBe(true);
    expect(await queued()).toEqual([{ kind: "verify-address", account: account.number }]);
    const entries = (await opened.reads.audit.list(account.number, { limit: 10 })).found;
    expect(entries.map(({ action }) => action)).toEqual(["sign_in.succeeded", "account.created"]);
  });

  test("signs the new account in where others of its network have used up the attempts to sign in", async () => {
    const browser = new AuthBrowser(auth);
    browser.jar.address = "192.0.2.40";
    for (let left = SIGN_IN_BY_ADDRESS.max; left > 0; left--)
      await throttle.count([[SIGN_IN_BY_ADDRESS, "192.0.2.40"]]);
    browser.jar.take(await auth.signUp(browser.client, form()));
    expect(await browser.find()).toBeDefined();
  });

  test("is refused after twenty of one network in a quarter of an hour, an IPv6 network being /64", async () => {
    const browser = new AuthBrowser(auth);
    browser.jar.address = "2001:db8::1";
    const weak = () => auth.signUp(browser.client, form({ password: "short" }));
    for (let times = 0; times < SIGN_UP_BY_ADDRESS.max; times++) {
      await expect(weak()).rejects.toMatchObject({ code: "member-invalid" });
    }
    browser.jar.address = "2001:db8::2:2";
    await expect(auth.signUp(browser.client, form())).rejects.toMatchObject({ code: "rate-limited" });
    browser.jar.address = "2001:db8:0:1::1";
    await expect(weak()).rejects.toMatchObject({ code: "member-invalid" });
  });

  test("with the address of an account is refused, and signs nobody in", async () => {
    const account = await quickAccount(opened.storage);
    const browser = new AuthBrowser(auth);
    const taken = form({ email: account.email.toUpperCase() });
    await expect(auth.signUp(browser.client, taken)).rejects.toMatchObject({ code: "account-exists" });
    expect(
      await opened.storage.db.selectFrom("sessions").selectAll().where("user_id", "=", account.id).execute(),
    ).toEqual([]);
  });
});

describe("a change of the account", () => {
  test("of the name alone needs no proof, mails nothing, and is entered", async () => {
    const { browser, account } = await signedIn(auth, opened.storage);
    await queued();
    const change = { name: "Fern", email: account.email.toUpperCase() };
    await auth.changeAccount(browser.client, await browser.session(), change);
    expect(await opened.store.accounts.findById(account.id)).toEqual({ ...account, name: "Fern" });
    expect(await queued()).toEqual([]);
    const [entry] = (await opened.reads.audit.list(account.number, { limit: 1 })).found;
    expect([entry?.action, entry?.detail]).toEqual(["settings.changed", { name: "Fern" }]);
  });

  test("of the address takes the password, and mails a link to the new address", async () => {
    const { browser, account } = await signedIn(auth, opened.storage);
    await queued();
    const change = { name: undefined, email: `New-${account.email}`, password: PASSWORD };
    await auth.changeAccount(browser.client, await browser.session(), change);
    expect(await opened.store.accounts.findById(account.id)).toMatchObject({ email: `new-${account.email}` });
    expect(await queued()).toContainEqual({ kind: "verify-address", account: account.number });
    expect(await opened.store.accounts.findByEmail(account.email)).toBeUndefined();
    const [entry] = (await opened.reads.audit.list(account.number, { limit: 1 })).found;
    expect(entry?.detail).toEqual({ email: `new-${account.email}` });
  });
});

test("removing an account takes a proof with its second factor, and ends every session of it", async () => {
  const { browser, account } = await signedIn(auth, opened.storage);
  const { uri } = await setUpSecondFactor(browser);
  setSystemTime(NOW + 20 * MINUTE_MS);
  const session = await browser.session();
  const remove = (proof: object) => auth.deleteAccount(browser.client, session, proof);
  await expect(remove({ password: PASSWORD })).rejects.toMatchObject({ code: "proof-needed" });
  await remove({ password: PASSWORD, code: totpCode(uri) });
  expect(await browser.find()).toBeUndefined();
  expect(await auth.findAccount(account.id)).toBeUndefined();
});

describe("the secret that signs cookies", () => {
  test("is made once and kept: nodes and restarts without SECRET take each other's cookies", async () => {
    const [first, second] = [
      openAuth(opened.storage, { secret: undefined }),
      openAuth(opened.storage, { secret: undefined }),
    ];
    const account = await quickAccount(opened.storage);
    const [browser, other] = [new AuthBrowser(first), new AuthBrowser(second)];
    await Promise.all([browser.signIn(account), other.signIn(account)]);
    expect(await new AuthBrowser(second, browser.jar).find()).toBeDefined();
    expect(await new AuthBrowser(first, other.jar).find()).toBeDefined();
    expect(await new AuthBrowser(auth, browser.jar).find()).toBeUndefined();
  });
});

test("the job removes sessions that are over, and leaves those that are not", async () => {
  const { browser, account } = await signedIn(auth, opened.storage);
  await new AuthBrowser(auth).signIn(account, { rememberMe: false });
  const sessions = () =>
    opened.storage.db.selectFrom("sessions").select("id").where("user_id", "=", account.id).execute();
  const now = NOW + 2 * 24 * 60 * MINUTE_MS;
  await auth.job.run({ now, signal: new AbortController().signal });
  expect((await sessions()).map(({ id }) => id)).toEqual([(await browser.session()).id]);
});
