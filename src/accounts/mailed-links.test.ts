import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { actsOfAccount } from "#load/limits.ts";
import { Throttle } from "#storage/throttle.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { AuthBrowser, openAuth, signedIn } from "#test/support/auth-browser.ts";
import { openTestStore, type TestStore, verifyAddress } from "#test/support/stores.ts";
import { addAccount } from "#test/support/test-account.ts";
import { PASSWORD as STRANGERS } from "#test/support/test-browser.ts";
import { AccountService } from "./account-service.ts";
import { MailedLinks } from "./mailed-links.ts";
import { SignInTables } from "./sign-in-tables.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const HOUR_MS = 3_600_000;
const PASSWORD = "nine purple watering cans";
const OTHER_PASSWORD = "seven orange garden gnomes";
const KEEP = { revokeTokens: false, removePasskeys: false };
const REFUSED = { code: "link-refused" };
const source = () => TEST_SOURCE;

let opened: TestStore;
let links: MailedLinks;
let account: Account;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  links = new MailedLinks(opened.storage);
  account = await new AccountService(opened.storage).add(
    { email: "ada@example.test", password: PASSWORD },
    TEST_SOURCE,
  );
});
beforeEach(() => void setSystemTime(NOW));
afterEach(() => void setSystemTime());
afterAll(() => opened.end());

const isVerified = async () => (await opened.store.accounts.findById(account.id))?.emailVerified;

describe("a link that was mailed", () => {
  test("verifies the address once", async () => {
    const secret = await links.make(account, "verify-address");
    await links.verify(secret, source);
    expect(await isVerified()).toBe(true);
    await expect(links.verify(secret, source)).rejects.toMatchObject(REFUSED);
  });

  test("works once also for two requests at once", async () => {
    const secret = await links.make(account, "verify-address");
    const both = await Promise.allSettled([links.verify(secret, source), links.verify(secret, source)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("is replaced by a newer one", async () => {
    const early = await links.make(account, "verify-address");
    const newer = await links.make(account, "verify-address");
    await expect(links.verify(early, source)).rejects.toMatchObject(REFUSED);
    await links.verify(newer, source);
  });

  test.each([
    ["verify-address", 24 * HOUR_MS],
    ["recover-password", HOUR_MS],
  ] as const)("for %s is good for %p ms", async (purpose, ageMs) => {
    const use = (secret: string) =>
      purpose === "verify-address" ? links.verify(secret, source) : links.recover(secret, "short", {}, source);
    const secret = await links.make(account, purpose);
    setSystemTime(NOW + ageMs - 1);
    if (purpose === "recover-password") await expect(use(secret)).rejects.toMatchObject({ code: "member-invalid" });
    setSystemTime(NOW + ageMs);
    await expect(use(secret)).rejects.toMatchObject(REFUSED);
  });

  test("is for its own purpose alone", async () => {
    const verifying = await links.make(account, "verify-address");
    const recovering = await links.make(account, "recover-password");
    await expect(links.recover(verifying, PASSWORD, {}, source)).rejects.toMatchObject(REFUSED);
    await expect(links.verify(recovering, source)).rejects.toMatchObject(REFUSED);
  });

  test("is not in the database in a form that can be opened", async () => {
    const secret = await links.make(account, "recover-password");
    const rows = await opened.storage.db.selectFrom("mail_links").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test("that recovers an account is not spent by a password that is too weak", async () => {
    const secret = await links.make(account, "recover-password");
    await expect(links.recover(secret, "short", {}, source)).rejects.toMatchObject({ code: "member-invalid" });
    await links.recover(secret, OTHER_PASSWORD, {}, source);
    await expect(links.recover(secret, PASSWORD, {}, source)).rejects.toMatchObject(REFUSED);
  });

  test("does not recover an account whose address or password was changed since", async () => {
    const other = await addAccount(opened.storage, "moved@example.test");
    const accounts = new AccountService(opened.storage);
    const toOldAddress = await links.make(other, "recover-password");
    await accounts.change(other, { email: "new@example.test" }, TEST_SOURCE);
    const madeLate = await links.make(other, "recover-password");
    const moved = { ...other, email: "new@example.test" };
    for (const secret of [toOldAddress, madeLate]) {
      await expect(links.recover(secret, OTHER_PASSWORD, {}, source)).rejects.toMatchObject(REFUSED);
    }
    await verifyAddress(opened.storage, other.number);
    const beforeChange = await links.make(moved, "recover-password");
    await accounts.setPassword("new@example.test", OTHER_PASSWORD, KEEP, TEST_SOURCE);
    await expect(links.recover(beforeChange, PASSWORD, {}, source)).rejects.toMatchObject(REFUSED);
    const afterChange = await links.make(moved, "recover-password");
    await accounts.change(moved, { name: "Moss" }, TEST_SOURCE);
    await links.recover(afterChange, PASSWORD, {}, source);
  });

  describe("at an address that was never verified", () => {
    test("recovers the account however often the stranger who made it changes the password or signs in", async () => {
      const auth = openAuth(opened.storage);
      const { browser, account } = await signedIn(auth, opened.storage);
      const secret = await links.make(account, "recover-password");
      await browser.send("/change-password", { currentPassword: STRANGERS, newPassword: OTHER_PASSWORD });
      const throttle = new Throttle(opened.storage);
      const signIns = [[actsOfAccount("sign_in.succeeded"), String(account.number)]] as const;
      while (await throttle.tryCount(signIns));
      await links.recover(secret, PASSWORD, {}, source);
      await new AuthBrowser(auth).signIn(account, { password: PASSWORD });
    });

    test("is not undone by what the stranger has under way", async () => {
      const { browser, account } = await signedIn(openAuth(opened.storage), opened.storage);
      const session = await browser.session();
      const secret = await links.make(account, "recover-password");
      await links.recover(secret, PASSWORD, {}, source);
      const { credentials } = new SignInTables(opened.storage);
      const entry = { ...session.source, account: account.number };
      const over = { code: "session-missing" };
      const password = credentials.changePassword(account, { password: "a hash" }, [
        { ...entry, action: "password.changed" },
      ]);
      await expect(password).rejects.toMatchObject(over);
      const moved = { email: "stranger@example.test" };
      await expect(credentials.change(account, moved, { ...entry, action: "settings.changed" })).rejects.toMatchObject(
        over,
      );
      const token = { name: "Till", scopes: [], expiresAt: undefined };
      await expect(opened.store.tokens.add(account.number, token, "a secret", session.source)).rejects.toMatchObject(
        over,
      );
    });
  });

  test.each(["", "x", "'; DROP TABLE accounts; --"])("is not guessed: %j", async (secret) => {
    await expect(links.verify(secret, source)).rejects.toMatchObject(REFUSED);
  });
});
