import { expect, test } from "bun:test";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { required } from "../database-access.ts";
import { codeRefused, SecondFactors } from "./second-factors.ts";

describeRecords("second factors on %s", (testRecords) => {
  const factors = new SecondFactors(testRecords.storage);

  const entryOf = ({ id }: Holder) => ({ ...TEST_SOURCE, ofPerson: id, action: "second_factor.enabled" }) as const;
  const actions = ({ id }: Holder) => auditedActions(testRecords, id);
  const pendingOf = async (person: Holder) =>
    (await factors.find(person, { pending: true })) ?? { secret: "", backupCodes: "" };
  const twoFactor = async ({ id }: Holder) => (await testRecords.records.people.find({ id }))?.twoFactor;

  async function confirmed(secret = "secret"): Promise<Holder> {
    const person = await testRecords.holder();
    await factors.setUp(person, { secret, backupCodes: "codes" });
    await factors.confirm(person, await pendingOf(person), [], entryOf(person));
    return person;
  }

  test("that is set up anew leaves the one in effect until the new one is confirmed, and goes alone", async () => {
    const person = await confirmed("old");
    await factors.setUp(person, { secret: "given up", backupCodes: "" });
    await factors.setUp(person, { secret: "new", backupCodes: "" });
    expect((await factors.find(person))?.secret).toBe("old");
    const pending = await pendingOf(person);
    expect(pending.secret).toBe("new");
    const givenUp = factors.confirm(person, { ...pending, secret: "given up" }, [], entryOf(person));
    await expect(givenUp).rejects.toThrow(codeRefused().message);
    await factors.confirm(person, pending, [], entryOf(person));
    expect((await factors.find(person))?.secret).toBe("new");
    const other = await confirmed();
    await factors.remove(person, [], { ...entryOf(person), action: "second_factor.disabled" });
    expect([await factors.find(person), await twoFactor(person), await twoFactor(other)]).toEqual([
      undefined,
      false,
      true,
    ]);
  });

  test("that another account has set up is not confirmed", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    await factors.setUp(other, { secret: "of the other", backupCodes: "" });
    const confirming = factors.confirm(person, await pendingOf(other), [], entryOf(person));
    await expect(confirming).rejects.toThrow(codeRefused().message);
    expect([await twoFactor(person), await factors.find(other)]).toEqual([false, undefined]);
  });

  test("has backup codes of which each is used once, whoever comes at the same time", async () => {
    const person = await confirmed();
    const found = await factors.find(person);
    if (!found) throw new Error("there is no factor");
    const used = { ...entryOf(person), action: "second_factor.backup_code_used" } as const;
    const replace = (after: string) =>
      testRecords.storage.audit.runAudited(
        [required(factors.replacing(person, found, { ...found, backupCodes: after }), codeRefused)],
        [used],
      );
    const ends = await Promise.allSettled([1, 2, 3].map((n) => replace(`without ${n}`)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await actions(person)).filter((action) => action === used.action)).toHaveLength(1);
    await expect(replace("again")).rejects.toThrow(codeRefused().message);
  });
});
