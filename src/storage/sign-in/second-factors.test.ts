import { expect, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { SecondFactorChanged, SecondFactors } from "./second-factors.ts";

describeRecords("second factors on %s", (testRecords) => {
  const factors = new SecondFactors(testRecords.storage);

  const entryOf = ({ number }: Account) =>
    ({ ...TEST_SOURCE, account: number, action: "second_factor.enabled" }) as const;
  const actions = ({ number }: Account) => auditedActions(testRecords, number);
  const twoFactor = async ({ id }: Account) => (await testRecords.records.accounts.find({ id }))?.twoFactor;

  async function confirmed(secret = "secret"): Promise<Account> {
    const account = await testRecords.holder();
    await factors.setUp(account, { secret, backupCodes: "codes" });
    const pending = await factors.find(account, { pending: true });
    await factors.confirm(account, pending?.id ?? "", [], entryOf(account));
    return account;
  }

  test("that is set up anew leaves the one in effect until the new one is confirmed, and goes alone", async () => {
    const account = await confirmed("old");
    await factors.setUp(account, { secret: "given up", backupCodes: "" });
    await factors.setUp(account, { secret: "new", backupCodes: "" });
    expect((await factors.find(account))?.secret).toBe("old");
    const pending = await factors.find(account, { pending: true });
    expect(pending?.secret).toBe("new");
    await factors.confirm(account, pending?.id ?? "", [], entryOf(account));
    expect((await factors.find(account))?.secret).toBe("new");
    const other = await confirmed();
    await factors.remove(account, [], { ...entryOf(account), action: "second_factor.disabled" });
    expect([await factors.find(account), await twoFactor(account), await twoFactor(other)]).toEqual([
      undefined,
      false,
      true,
    ]);
  });

  test("that another account has set up is not confirmed", async () => {
    const [account, other] = [await testRecords.holder(), await testRecords.holder()];
    await factors.setUp(other, { secret: "of the other", backupCodes: "" });
    const id = (await factors.find(other, { pending: true }))?.id ?? "";
    const confirming = factors.confirm(account, id, [], entryOf(account));
    await expect(confirming).rejects.toThrow(SecondFactorChanged);
    expect([await twoFactor(account), await factors.find(other)]).toEqual([false, undefined]);
  });

  test("has backup codes of which each is used once, whoever comes at the same time", async () => {
    const account = await confirmed();
    const found = await factors.find(account);
    const id = found?.id ?? "";
    const used = { ...TEST_SOURCE, account: account.number, action: "second_factor.backup_code_used" } as const;
    const ends = await Promise.allSettled(
      [1, 2, 3].map((n) => factors.replaceBackupCodes(id, "codes", `without ${n}`, used)),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await actions(account)).filter((action) => action === used.action)).toHaveLength(1);
    await expect(factors.replaceBackupCodes(id, "codes", "again", used)).rejects.toThrow(SecondFactorChanged);
  });
});
