import { describe, expect, test } from "bun:test";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { AuthBrowser, setUpSecondFactor, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { openTestAuth } from "#test/support/open-test-auth.ts";
import { AccountService } from "./account-service.ts";
import { verifyPassword } from "./password.ts";

const PASSWORD = "nine purple watering cans";
const OTHER_PASSWORD = "seven orange garden gnomes";
const KEEP = { revokeTokens: false, removePasskeys: false };

const { storage, tables, auth } = await openTestAuth();
const accounts = new AccountService(storage);

describe("an account of the operator", () => {
  test("has its address in lower case, and a name of its own or that of the address", async () => {
    const named = await accounts.add({ email: "Ada@Example.test", password: PASSWORD, name: "Ada" }, TEST_SOURCE);
    expect([named.email, named.name]).toEqual(["ada@example.test", "Ada"]);
    await expect(accounts.add({ email: "ADA@example.test", password: PASSWORD }, TEST_SOURCE)).rejects.toMatchObject({
      code: "account-exists",
    });
    expect((await accounts.add({ email: "bo@example.test", password: PASSWORD }, TEST_SOURCE)).name).toBe("bo");
  });

  test("has the A-labels of its domain, and is found and signed in by either way to write it", async () => {
    const { email } = await accounts.add({ email: "O&M@Bücher.example", password: PASSWORD }, TEST_SOURCE);
    expect(email).toBe("o&m@xn--bcher-kva.example");
    const browser = new AuthBrowser(auth);
    for (const typed of ["o&m@BÜCHER.example", email]) {
      expect((await accounts.requirePerson(typed)).email).toBe(email);
      await browser.signIn({ email: typed }, { password: PASSWORD });
    }
  });

  test.each(["", "ada", "ada@", "@example.test", "a b@example.test", `${"a".repeat(300)}@example.test`, "a\0@b.test"])(
    "is refused with the address %j, before a password is hashed",
    async (email) => {
      await expect(accounts.add({ email, password: PASSWORD }, TEST_SOURCE)).rejects.toMatchObject({
        code: "member-invalid",
      });
    },
  );

  test("signs in with its new password alone once that was set, which ends its sessions", async () => {
    const { credentials } = tables;
    const person = await accounts.add({ email: "cy@example.test", password: PASSWORD }, TEST_SOURCE);
    const epoch = await credentials.epochOf(person.id);
    const left = await accounts.setPassword("cy@example.test", OTHER_PASSWORD, KEEP, TEST_SOURCE);
    expect(left).toEqual({ activeTokens: 0, passkeys: 0, identities: 0, webhooks: 0 });
    const hash = await credentials.passwordOf(person);
    expect([await verifyPassword(PASSWORD, hash, {}), await verifyPassword(OTHER_PASSWORD, hash, {})]).toEqual([
      false,
      true,
    ]);
    expect(await credentials.epochOf(person.id)).not.toBe(epoch as number);
  });

  test("is signed in nowhere once its second factor or its passkeys were removed, and no passkey gets in", async () => {
    const [one, other] = [await signedIn(auth, storage), await signedIn(auth, storage)];
    await setUpSecondFactor(one.browser);
    await accounts.dropSecondFactor(one.person.email, TEST_SOURCE);
    expect(await one.browser.find()).toBeUndefined();
    const device = new SoftwareAuthenticator(other.browser.jar.origin);
    await other.browser.register(device);
    const { removed, left } = await accounts.removePasskeys(other.person.email, undefined, TEST_SOURCE);
    expect([removed.length, left.passkeys]).toEqual([1, 0]);
    expect(await other.browser.find()).toBeUndefined();
    await expect(other.browser.signInWithPasskey(device)).rejects.toMatchObject({ code: "second-factor-refused" });
  });
});
