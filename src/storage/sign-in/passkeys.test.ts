import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { type Condition, required } from "../database-access.ts";
import { type NewPasskey, Passkeys } from "./passkeys.ts";

describeRecords("passkeys on %s", (testRecords) => {
  const passkeys = new Passkeys(testRecords.storage, { issuer: undefined, only: false });

  const entryOf = ({ account: number }: Holder, action: "passkey.added" | "passkey.removed") => ({
    ...TEST_SOURCE,
    account: number,
    action,
  });

  const actions = ({ account: number }: Holder) => auditedActions(testRecords, number);
  const refused = new Failure("proof-needed", "Prove who you are first");
  const passkey = (more: Partial<NewPasskey> = {}): NewPasskey => ({
    id: crypto.randomUUID(),
    name: "Laptop",
    credentialId: crypto.randomUUID(),
    publicKey: new Uint8Array([0, 255, 1, 2]),
    counter: 0,
    deviceType: "multiDevice",
    backedUp: true,
    transports: ["internal", "hybrid"],
    aaguid: "00000000-0000-0000-0000-000000000000",
    ...more,
  });

  /** Holds as long as there is such an account. */
  function exists({ id }: Pick<Holder, "id">): Condition {
    const { db } = testRecords.storage;
    return required(db.updateTable("people").set({ id }).where("id", "=", id), () => refused);
  }

  async function added(person: Holder, more: Partial<NewPasskey> = {}) {
    const given = passkey(more);
    await passkeys.add(person, given, exists(person), entryOf(person, "passkey.added"));
    return given.id;
  }

  test("is given back as it was added, byte for byte, by its credential and in its account's list", async () => {
    const person = await testRecords.holder();
    const given = passkey({ transports: [], backedUp: false });
    const id = await added(person, given);
    const { aaguid: _, ...kept } = given;
    const found = await passkeys.findByCredential(given.credentialId);
    expect(found).toMatchObject({ ...kept, id, personId: person.id });
    expect(await passkeys.list(person)).toEqual(found ? [found] : []);
    expect(await passkeys.list(await testRecords.holder())).toEqual([]);
    expect(await passkeys.findByCredential("unknown")).toBeUndefined();
  });

  test("keeps every count of signatures that WebAuthn allows, up to 2^32 - 1", async () => {
    const person = await testRecords.holder();
    const id = await added(person, { counter: 2 ** 31 });
    const counter = async () => (await passkeys.list(person))[0]?.counter;
    expect(await counter()).toBe(2 ** 31);
    for (const count of [2 ** 32 - 1, 2 ** 31 - 1, 0]) {
      await passkeys.keepCounter(id, count);
      expect(await counter()).toBe(count);
    }
  });

  test("is renamed, counted and removed without a change to any other", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    const [first, second, others] = [await added(person), await added(person), await added(other)];
    expect(await passkeys.rename(other, first, "stolen")).toBe(false);
    expect(await passkeys.rename(person, first, "Key")).toBe(true);
    await passkeys.keepCounter(first, 7);
    const shown = async (holder: Holder) =>
      new Map((await passkeys.list(holder)).map(({ id, name, counter }) => [id, `${name} ${counter}`]));
    expect(await shown(person)).toEqual(
      new Map([
        [first, "Key 7"],
        [second, "Laptop 0"],
      ]),
    );
    expect(await passkeys.remove(other.id, first, exists(other), entryOf(other, "passkey.removed"))).toBe(false);
    expect((await shown(person)).size).toBe(2);
    const removing = [1, 2].map(() =>
      passkeys.remove(person.id, first, exists(person), entryOf(person, "passkey.removed")),
    );
    expect((await Promise.all(removing)).sort()).toEqual([false, true]);
    expect([await actions(person), await actions(other)]).toEqual([
      ["passkey.removed", "passkey.added", "passkey.added"],
      ["passkey.added"],
    ]);
    await testRecords.storage.atomically([passkeys.removing(person, others)]);
    expect([...(await shown(person)).keys(), ...(await shown(other)).keys()]).toEqual([second, others]);
    await testRecords.storage.atomically([passkeys.removing(person)]);
    expect([(await shown(person)).size, (await shown(other)).size]).toEqual([0, 1]);
  });
});
