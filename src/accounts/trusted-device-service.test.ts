import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { DAY_MS } from "#core/duration.ts";
import type { Person } from "#core/person.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { type AuthBrowser, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { totpCode } from "#test/support/totp.ts";
import { AccountService } from "./account-service.ts";

const HALF = { two_factor: true };
const DONE = { two_factor: false };

const { storage, auth } = await openTestAuth();
let browser: AuthBrowser;
let person: Person;
/** A browser that is trusted and signed in. */
beforeEach(async () => {
  ({ browser, person } = await trusting());
});

async function trusting() {
  const made = await signedIn(auth, storage);
  const { uri, backupCodes } = await setUpSecondFactor(made.browser);
  await made.browser.signIn(made.person);
  await made.browser.send("/two-factor/verify-totp", { code: totpCode(uri), trustDevice: true });
  return { ...made, uri, backupCodes };
}

const listed = async () => auth.trustedDevices.list(browser.client, await browser.session());

describe("a trusted device", () => {
  test("needs no code for 30 days, counted from the code and not from its last use", async () => {
    setSystemTime(NOW + 15 * DAY_MS);
    expect(await browser.signIn(person)).toEqual(DONE);
    setSystemTime(NOW + 30 * DAY_MS - 1);
    expect(await browser.signIn(person)).toEqual(DONE);
    setSystemTime(NOW + 30 * DAY_MS);
    expect(await browser.signIn(person)).toEqual(HALF);
  });

  test("of a clock that was far ahead is not trusted when the clock is right", async () => {
    setSystemTime(NOW - 2 * DAY_MS);
    expect(await browser.signIn(person)).toEqual(HALF);
  });

  test("is in the database as a hash alone", async () => {
    const secret = decodeURIComponent(browser.jar.cookie("trusted_device") ?? "").split(".")[0] ?? "";
    expect(secret.length).toBeGreaterThan(40);
    const rows = await storage.db.selectFrom("trusted_devices").selectAll().execute();
    for (const { hash } of rows) expect(Buffer.from(hash).toString()).not.toContain(secret);
  });

  test("proves with the password alone who its holder is, and another browser does not", async () => {
    const session = await browser.session();
    expect(await auth.proofs.prove(browser.client, session, { password: PASSWORD })).toBe(NOW + 15 * 60_000);
    browser.jar.drop("trusted_device");
    await expect(auth.proofs.prove(browser.client, session, { password: PASSWORD })).rejects.toMatchObject({
      code: "second-factor-refused",
    });
  });
});

describe("the list of trusted devices", () => {
  test("says which is the browser that asks, and when each was used last", async () => {
    setSystemTime(NOW + DAY_MS);
    await browser.signIn(person);
    expect(await listed()).toMatchObject([
      { current: true, address: "192.0.2.1", createdAt: NOW, lastUsedAt: NOW + DAY_MS, expiresAt: NOW + 30 * DAY_MS },
    ]);
    browser.jar.drop("trusted_device");
    expect(await listed()).toMatchObject([{ current: false }]);
  });

  test("has none whose trust is over", async () => {
    setSystemTime(NOW + 29 * DAY_MS);
    await browser.signIn(person);
    setSystemTime(NOW + 30 * DAY_MS);
    expect(await listed()).toEqual([]);
  });
});

describe("forgetting a trusted device", () => {
  test("asks for a code again there, and is done for one or for all", async () => {
    const [{ id } = { id: "" }] = await listed();
    expect(await auth.trustedDevices.forget(await browser.session(), "dev_unknown")).toBe(0);
    expect(await auth.trustedDevices.forget(await browser.session(), id)).toBe(1);
    expect(await listed()).toEqual([]);
    expect(await browser.signIn(person)).toEqual(HALF);
  });

  test("comes with a new password, a new second factor, and the end of the second factor", async () => {
    const { browser: second, person: secondPerson } = await trusting();
    const { browser: third, person: thirdPerson } = await trusting();
    const form = { currentPassword: PASSWORD, newPassword: "seven orange garden gnomes" };
    await browser.send("/change-password", form);
    expect(await listed()).toEqual([]);
    setSystemTime(NOW + 120_000);
    await setUpSecondFactor(second);
    expect(await second.signIn(secondPerson)).toEqual(HALF);
    await new AccountService(storage).dropSecondFactor(thirdPerson.email, TEST_SOURCE);
    expect(await third.signIn(thirdPerson)).toEqual(DONE);
    await setUpSecondFactor(third);
    expect(await third.signIn(thirdPerson)).toEqual(HALF);
  });
});
