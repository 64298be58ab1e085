import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Person } from "#core/person.ts";
import { type AuthBrowser, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { totpCode } from "#test/support/totp.ts";
import { PASSWORD_BY_ACCOUNT } from "./proofs.ts";

const QUARTER_MS = 15 * 60_000;
const NEEDED = { code: "proof-needed" };
const NEW_PASSWORD = "seven orange garden gnomes";

const { storage, auth, throttle } = await openTestAuth();
let browser: AuthBrowser;
let person: Person;
beforeEach(async () => {
  ({ browser, person } = await signedIn(auth, storage));
});

const requireRecent = async () => auth.proofs.require("recent", browser.client, await browser.session(), {});
const changePassword = (more: Record<string, unknown> = {}) =>
  browser.send("/change-password", { newPassword: NEW_PASSWORD, ...more });

describe("a sign-in", () => {
  test("is proof enough for tokens for 15 minutes, and no longer", async () => {
    setSystemTime(NOW + QUARTER_MS);
    await requireRecent();
    setSystemTime(NOW + QUARTER_MS + 1);
    await expect(requireRecent()).rejects.toMatchObject(NEEDED);
  });

  test("is never proof enough to turn the second factor off, nor for new backup codes", async () => {
    await expect(browser.send("/two-factor/disable", {})).rejects.toMatchObject(NEEDED);
    await expect(browser.send("/two-factor/generate-backup-codes", {})).rejects.toMatchObject(NEEDED);
  });
});

describe("a proof", () => {
  test("is good for 15 minutes, for that session alone", async () => {
    const other = await signedIn(auth, storage);
    setSystemTime(NOW + 60_000);
    expect(await auth.proofs.prove(browser.client, await browser.session(), { password: PASSWORD })).toBe(
      NOW + 60_000 + QUARTER_MS,
    );
    await expect(other.browser.send("/two-factor/enable", {})).rejects.toMatchObject(NEEDED);
    setSystemTime(NOW + 60_000 + QUARTER_MS);
    await browser.send("/two-factor/enable", {});
    setSystemTime(NOW + 60_000 + QUARTER_MS + 1);
    await expect(browser.send("/two-factor/enable", {})).rejects.toMatchObject(NEEDED);
  });

  test("of a clock that was far ahead is none", async () => {
    setSystemTime(NOW + 60_000 + QUARTER_MS);
    await browser.prove();
    setSystemTime(NOW + 60_000);
    await browser.send("/two-factor/enable", {});
    setSystemTime(NOW);
    await expect(browser.send("/two-factor/enable", {})).rejects.toMatchObject(NEEDED);
  });

  test("that comes with a form serves the changes after it as well", async () => {
    await browser.send("/two-factor/enable", { password: PASSWORD });
    await browser.send("/two-factor/enable", {});
  });

  test("does not make up for a wrong password in the form", async () => {
    await browser.prove();
    await expect(changePassword({ currentPassword: "not the password" })).rejects.toMatchObject({
      code: "password-refused",
    });
    await changePassword();
  });

  test("is not made by a code without the password", async () => {
    const { uri } = await setUpSecondFactor(browser);
    setSystemTime(NOW + 2 * QUARTER_MS);
    const code = totpCode(uri);
    await expect(browser.send("/two-factor/disable", { code })).rejects.toMatchObject(NEEDED);
    await expect(auth.proofs.prove(browser.client, await browser.session(), { code })).rejects.toMatchObject({
      code: "password-refused",
    });
    await browser.send("/two-factor/disable", { password: PASSWORD, code });
  });

  test("is not made by the password without the code, where there is a second factor", async () => {
    await setUpSecondFactor(browser);
    setSystemTime(NOW + 2 * QUARTER_MS);
    await expect(browser.send("/two-factor/disable", { password: PASSWORD })).rejects.toMatchObject(NEEDED);
    const wrong = { password: PASSWORD, code: "000000" };
    await expect(browser.send("/two-factor/disable", wrong)).rejects.toMatchObject({ code: "second-factor-refused" });
    expect((await browser.session()).person.twoFactor).toBe(true);
  });

  test("cannot be guessed with a stolen cookie: after ten wrong passwords the right one is refused too", async () => {
    for (let left = PASSWORD_BY_ACCOUNT.max; left > 1; left--) {
      await throttle.count([[PASSWORD_BY_ACCOUNT, person.id]]);
    }
    await expect(changePassword({ currentPassword: "not the password" })).rejects.toMatchObject({
      code: "password-refused",
    });
    await expect(changePassword({ currentPassword: PASSWORD })).rejects.toMatchObject({ code: "rate-limited" });
    setSystemTime(NOW + QUARTER_MS);
    await changePassword({ currentPassword: PASSWORD });
  });
});

describe("a passkey as a proof", () => {
  test("is good in the session of its own account alone", async () => {
    const device = new SoftwareAuthenticator(browser.jar.origin);
    await browser.register(device);
    setSystemTime(NOW + 2 * QUARTER_MS);
    await expect(changePassword()).rejects.toMatchObject(NEEDED);
    const passkey = await browser.signed(device);
    await auth.proofs.prove(browser.client, await browser.session(), { passkey });
    await changePassword();
    const other = await signedIn(auth, storage);
    const session = await other.browser.session();
    const foreign = { passkey: await other.browser.signed(device) };
    await expect(auth.proofs.prove(other.browser.client, session, foreign)).rejects.toThrow(
      "belongs to another account",
    );
    await expect(other.browser.send("/two-factor/enable", {})).rejects.toMatchObject(NEEDED);
  });
});

describe("a change of passkeys", () => {
  const remove = async (more: Record<string, unknown> = {}) => {
    const [{ id } = { id: "" }] = (await browser.send("/passkey/list-user-passkeys")) as { id: string }[];
    await browser.send("/passkey/delete-passkey", { id, ...more });
  };

  test("spends its proof, which is still good for other changes", async () => {
    await browser.register(new SoftwareAuthenticator(browser.jar.origin));
    expect((await browser.session()).proof?.kind).toBe("spent");
    await expect(remove()).rejects.toMatchObject(NEEDED);
    await requireRecent();
    await changePassword();
    await remove({ password: NEW_PASSWORD });
  });

  test("is refused with a proof that is too old", async () => {
    await browser.register(new SoftwareAuthenticator(browser.jar.origin));
    await browser.prove();
    setSystemTime(NOW + QUARTER_MS + 1);
    await expect(remove()).rejects.toMatchObject(NEEDED);
    expect(await browser.send("/passkey/list-user-passkeys")).toHaveLength(1);
  });

  test("of an id that the account does not have spends no proof", async () => {
    await browser.prove();
    const unknown = { id: "unknown", password: PASSWORD };
    await expect(browser.send("/passkey/delete-passkey", unknown)).rejects.toMatchObject({ code: "resource-unknown" });
    expect((await browser.session()).proof?.kind).toBe("asked");
  });
});
