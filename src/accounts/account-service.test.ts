import { describe, expect, test } from "bun:test";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { openTestAuth } from "#test/support/open-test-auth.ts";
import { AccountService } from "./account-service.ts";
import { verifyPassword } from "./password.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";

const PASSWORD = "nine purple watering cans";
const OTHER_PASSWORD = "seven orange garden gnomes";
const KEEP = { revokeTokens: false, removePasskeys: false };
const CLIENT = { origin: "https://plants.example", address: "192.0.2.1", headers: new Headers() };

const { opened, storage, tables } = await openTestAuth();
const accounts = new AccountService(storage);
const signUp = (rule: SignUpRule) => new SignUp({ tables, accounts }, rule);

// The order matters: the first tests are about a service without an account.
describe("the first account", () => {
  const form = { email: "first@example.test", password: PASSWORD, name: undefined };

  test("is not made with a code that nobody was given", async () => {
    const first = signUp("first");
    for (const code of [undefined, "", "x"]) {
      await expect(first.make(CLIENT, { ...form, code })).rejects.toMatchObject({ code: "sign-up-refused" });
    }
    expect(await accounts.list()).toEqual([]);
  });

  test("is not made with the code of an earlier start", async () => {
    const first = signUp("first");
    const early = await first.newCode();
    const code = await first.newCode();
    expect(await first.problem(early)).toContain("This link is not good any more");
    expect(await first.problem(code)).toBeUndefined();
  });

  test("is made once with the code, which the database holds only as a hash", async () => {
    const first = signUp("first");
    const code = (await first.newCode()) ?? "";
    const rows = await storage.db.selectFrom("welcome_codes").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(code);
    const made = await Promise.allSettled([
      first.make(CLIENT, { ...form, code }),
      first.make(CLIENT, { ...form, code, email: "second@example.test" }),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await accounts.list()).toHaveLength(1);
    expect(await first.newCode()).toBeUndefined();
    expect(await first.problem(code)).toContain("There is an account already");
  });
});

test("where accounts are not made by strangers, none is; where anyone may, no code is asked for", async () => {
  expect(await signUp("closed").problem(undefined)).toContain("ask the operator");
  expect(await signUp("closed").newCode()).toBeUndefined();
  expect(await signUp("open").problem(undefined)).toBeUndefined();
  const form = { email: "closed@example.test", password: PASSWORD, name: "Moss", code: undefined };
  await expect(signUp("closed").make(CLIENT, form)).rejects.toMatchObject({ code: "sign-up-refused" });
});

describe("an account of the operator", () => {
  test("has its address in lower case, and a name of its own or that of the address", async () => {
    const named = await accounts.add({ email: "Ada@Example.test", password: PASSWORD, name: "Ada" }, TEST_SOURCE);
    expect([named.email, named.name]).toEqual(["ada@example.test", "Ada"]);
    await expect(accounts.add({ email: "ADA@example.test", password: PASSWORD }, TEST_SOURCE)).rejects.toMatchObject({
      code: "account-exists",
    });
    expect((await accounts.add({ email: "bo@example.test", password: PASSWORD }, TEST_SOURCE)).name).toBe("bo");
  });

  test.each(["", "ada", "ada@", "@example.test", "a b@example.test", `${"a".repeat(300)}@example.test`, "a\0@b.test"])(
    "is refused with the address %j, before a password is hashed",
    async (email) => {
      await expect(accounts.add({ email, password: PASSWORD }, TEST_SOURCE)).rejects.toMatchObject({
        code: "member-invalid",
      });
    },
  );

  test.each(["short", "eve@example.test", "q1w2e3r4t5y6"])("is refused with the weak password %j", async (password) => {
    await expect(accounts.add({ email: "eve@example.test", password }, TEST_SOURCE)).rejects.toMatchObject({
      code: "member-invalid",
    });
  });

  test("signs in with its new password alone once that was set, which ends its sessions", async () => {
    const { credentials } = tables;
    const account = await accounts.add({ email: "cy@example.test", password: PASSWORD }, TEST_SOURCE);
    const epoch = await credentials.epochOf(account.id);
    const left = await accounts.setPassword("cy@example.test", OTHER_PASSWORD, KEEP, TEST_SOURCE);
    expect(left).toEqual({ activeTokens: 0, passkeys: 0, webhooks: 0 });
    const hash = await credentials.passwordOf(account);
    expect([await verifyPassword(PASSWORD, hash, {}), await verifyPassword(OTHER_PASSWORD, hash, {})]).toEqual([
      false,
      true,
    ]);
    expect(await credentials.epochOf(account.id)).not.toBe(epoch as number);
  });

  test("that does not exist is named in the refusal", async () => {
    await expect(accounts.require("nobody@example.test")).rejects.toThrow(
      "There is no account with the e-mail address nobody@example.test",
    );
    await expect(accounts.remove("nobody@example.test", TEST_SOURCE)).rejects.toThrow("nobody@example.test");
  });

  test("is gone once it was removed, and its address may be used again", async () => {
    await accounts.add({ email: "di@example.test", password: PASSWORD }, TEST_SOURCE);
    await accounts.remove("di@example.test", TEST_SOURCE);
    await expect(accounts.require("di@example.test")).rejects.toThrow("There is no account");
    await accounts.add({ email: "di@example.test", password: PASSWORD }, TEST_SOURCE);
  });

  test("has its changes entered in the audit log, without its password", async () => {
    const account = await accounts.add({ email: "ed@example.test", password: PASSWORD }, TEST_SOURCE);
    await accounts.change(account, { name: "Ed", email: "ED2@example.test" }, TEST_SOURCE);
    await accounts.setPassword("ed2@example.test", OTHER_PASSWORD, KEEP, TEST_SOURCE);
    await accounts.dropSecondFactor("ed2@example.test", TEST_SOURCE).catch(() => {});
    const query = { action: undefined, from: undefined, before: undefined, limit: 20 };
    const entries = (await opened.reads.audit.list(account.number, query)).found;
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["account.created", "settings.changed", "password.reset_by_operator"]),
    );
    expect(JSON.stringify(entries)).not.toMatch(/watering|gnomes|argon2/);
  });
});

test("verifying a password for an account that does not exist is false, and takes the same work", async () => {
  expect(await verifyPassword(PASSWORD, undefined, {})).toBe(false);
});
