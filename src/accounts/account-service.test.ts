import { describe, expect, test } from "bun:test";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { openTestAuth } from "#test/support/open-test-auth.ts";
import { AccountService } from "./account-service.ts";
import { verifyPassword } from "./password.ts";

const PASSWORD = "nine purple watering cans";
const OTHER_PASSWORD = "seven orange garden gnomes";
const KEEP = { revokeTokens: false, removePasskeys: false };

const { storage, tables } = await openTestAuth();
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
});
