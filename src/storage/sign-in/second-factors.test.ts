import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { Failure } from "#core/failure.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import type { Condition } from "./condition.ts";
import { type NewPasskey, Passkeys } from "./passkeys.ts";
import { SecondFactorChanged, SecondFactors } from "./second-factors.ts";
import { TrustedDevices } from "./trusted-devices.ts";

describe.each(ENGINES)("on %s", (engine) => {
  let testStore: TestStore;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
  });
  afterAll(() => testStore.end());

  const entryOf = (account: Account, action: "second_factor.enabled" | "passkey.added" | "passkey.removed") => ({
    ...TEST_SOURCE,
    account: account.number,
    action,
  });
  const actions = async ({ number }: Account) =>
    (await testStore.store.audit.list(number, { limit: 100 })).map(({ action }) => action);
  const twoFactor = async ({ id }: Account) => (await testStore.store.accounts.findById(id))?.twoFactor;

  describe("a second factor", () => {
    let factors: SecondFactors;
    beforeAll(() => {
      factors = new SecondFactors(testStore.storage, testStore.storage.audit);
    });

    async function confirmed(secret = "secret"): Promise<Account> {
      const account = await testStore.holder();
      await factors.setUp(account, { secret, backupCodes: "codes" });
      const pending = await factors.find(account, { pending: true });
      await factors.confirm(account, pending?.id ?? "", [], entryOf(account, "second_factor.enabled"));
      return account;
    }

    test("is in effect once its first code was given, and not before", async () => {
      const account = await testStore.holder();
      await factors.setUp(account, { secret: "secret", backupCodes: "codes" });
      expect([await factors.find(account), await twoFactor(account)]).toEqual([undefined, false]);
      const pending = await factors.find(account, { pending: true });
      expect(pending).toMatchObject({ secret: "secret", backupCodes: "codes" });
      await factors.confirm(account, pending?.id ?? "", [], entryOf(account, "second_factor.enabled"));
      expect(await factors.find(account)).toEqual(pending);
      expect(await factors.find(account, { pending: true })).toBeUndefined();
      expect([await twoFactor(account), await actions(account)]).toEqual([true, ["second_factor.enabled"]]);
    });

    test("that is set up anew leaves the one in effect until the new one is confirmed", async () => {
      const account = await confirmed("old");
      await factors.setUp(account, { secret: "given up", backupCodes: "" });
      await factors.setUp(account, { secret: "new", backupCodes: "" });
      expect((await factors.find(account))?.secret).toBe("old");
      const pending = await factors.find(account, { pending: true });
      expect(pending?.secret).toBe("new");
      await factors.confirm(account, pending?.id ?? "", [], entryOf(account, "second_factor.enabled"));
      expect((await factors.find(account))?.secret).toBe("new");
    });

    test("that was set up anew meanwhile is not confirmed, and nothing changes", async () => {
      const account = await testStore.holder();
      await factors.setUp(account, { secret: "first", backupCodes: "" });
      const first = await factors.find(account, { pending: true });
      await factors.setUp(account, { secret: "second", backupCodes: "" });
      const late = factors.confirm(account, first?.id ?? "", [], entryOf(account, "second_factor.enabled"));
      await expect(late).rejects.toThrow(SecondFactorChanged);
      expect([await twoFactor(account), await actions(account)]).toEqual([false, []]);
      expect((await factors.find(account, { pending: true }))?.secret).toBe("second");
    });

    test("that another account has set up is not confirmed", async () => {
      const [account, other] = [await testStore.holder(), await testStore.holder()];
      await factors.setUp(other, { secret: "of the other", backupCodes: "" });
      const id = (await factors.find(other, { pending: true }))?.id ?? "";
      const confirming = factors.confirm(account, id, [], entryOf(account, "second_factor.enabled"));
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

    test("goes with its backup codes, and those of other accounts stay", async () => {
      const [account, other] = [await confirmed(), await confirmed()];
      await factors.remove(account, [], {
        ...entryOf(account, "second_factor.enabled"),
        action: "second_factor.disabled",
      });
      expect([await factors.find(account), await twoFactor(account)]).toEqual([undefined, false]);
      expect([(await factors.find(other))?.secret, await twoFactor(other)]).toEqual(["secret", true]);
    });
  });

  describe("a passkey", () => {
    let passkeys: Passkeys;
    const refused = new Failure("proof-needed", "Prove who you are first");
    beforeAll(() => {
      passkeys = new Passkeys(testStore.storage, testStore.storage.audit);
    });

    const passkey = (more: Partial<NewPasskey> = {}): NewPasskey => ({
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
    function exists({ id }: Pick<Account, "id">): Condition {
      const { db } = testStore.storage;
      const statement = db.updateTable("accounts").set({ id }).where("id", "=", id).compile();
      return { statement, refused: () => refused };
    }

    async function added(account: Account, more: Partial<NewPasskey> = {}) {
      let id = "";
      await passkeys.add(account, passkey(more), exists(account), (given) => {
        id = given;
        return entryOf(account, "passkey.added");
      });
      return id;
    }

    test("is given back as it was added, byte for byte, by its credential and in its account's list", async () => {
      const account = await testStore.holder();
      const given = passkey({ transports: [], backedUp: false });
      const id = await added(account, given);
      const { aaguid: _, ...kept } = given;
      const found = await passkeys.findByCredential(given.credentialId);
      expect(found).toMatchObject({ ...kept, id, accountId: account.id });
      expect(await passkeys.list(account)).toEqual(found ? [found] : []);
      expect(await passkeys.list(await testStore.holder())).toEqual([]);
      expect(await passkeys.findByCredential("unknown")).toBeUndefined();
    });

    test("whose condition does not hold is neither added nor removed", async () => {
      const account = await testStore.holder();
      const no = exists({ id: "nobody" });
      const adding = passkeys.add(account, passkey(), no, () => entryOf(account, "passkey.added"));
      await expect(adding).rejects.toBe(refused);
      expect(await passkeys.list(account)).toEqual([]);
      const id = await added(account);
      await expect(passkeys.remove(account.id, id, no, entryOf(account, "passkey.removed"))).rejects.toBe(refused);
      expect(await passkeys.list(account)).toHaveLength(1);
      expect(await actions(account)).toEqual(["passkey.added"]);
    });

    test("keeps every count of signatures that WebAuthn allows, up to 2^32 - 1", async () => {
      const account = await testStore.holder();
      const id = await added(account, { counter: 2 ** 31 });
      const counter = async () => (await passkeys.list(account))[0]?.counter;
      expect(await counter()).toBe(2 ** 31);
      for (const count of [2 ** 32 - 1, 2 ** 31 - 1, 0]) {
        await passkeys.keepCounter(id, count);
        expect(await counter()).toBe(count);
      }
    });

    test("is renamed, counted and removed without a change to any other", async () => {
      const [account, other] = [await testStore.holder(), await testStore.holder()];
      const [first, second, others] = [await added(account), await added(account), await added(other)];
      expect(await passkeys.rename(other, first, "stolen")).toBe(false);
      expect(await passkeys.rename(account, first, "Key")).toBe(true);
      await passkeys.keepCounter(first, 7);
      const shown = async (holder: Account) =>
        new Map((await passkeys.list(holder)).map(({ id, name, counter }) => [id, `${name} ${counter}`]));
      expect(await shown(account)).toEqual(
        new Map([
          [first, "Key 7"],
          [second, "Laptop 0"],
        ]),
      );
      expect(await passkeys.remove(other.id, first, exists(other), entryOf(other, "passkey.removed"))).toBe(false);
      expect((await shown(account)).size).toBe(2);
      const removing = [1, 2].map(() =>
        passkeys.remove(account.id, first, exists(account), entryOf(account, "passkey.removed")),
      );
      expect((await Promise.all(removing)).sort()).toEqual([false, true]);
      expect([await actions(account), await actions(other)]).toEqual([
        ["passkey.removed", "passkey.added", "passkey.added"],
        ["passkey.added"],
      ]);
      await testStore.storage.atomically([passkeys.removing(account, others)]);
      expect([...(await shown(account)).keys(), ...(await shown(other)).keys()]).toEqual([second, others]);
      await testStore.storage.atomically([passkeys.removing(account)]);
      expect([(await shown(account)).size, (await shown(other)).size]).toEqual([0, 1]);
    });
  });

  describe("a trusted device", () => {
    let devices: TrustedDevices;
    beforeAll(() => {
      devices = new TrustedDevices(testStore.storage);
    });

    async function trust(account: Account, secret: string, now: number, expiresAt = 10_000): Promise<void> {
      const device = { hash: Buffer.from(secret), userAgent: "Firefox", address: "192.0.2.7", expiresAt };
      await testStore.storage.atomically([devices.adding(account, device, now)]);
    }

    test("is found by its secret in its own account until its end", async () => {
      const [account, other] = [await testStore.holder(), await testStore.holder()];
      const secret = crypto.randomUUID();
      await trust(account, secret, 1000, 2000);
      const found = await devices.find(account, Buffer.from(secret), 1999);
      expect(found).toMatchObject({ userAgent: "Firefox", address: "192.0.2.7", createdAt: 1000, expiresAt: 2000 });
      expect(await devices.find(account, Buffer.from(secret), 2000)).toBeUndefined();
      expect(await devices.find(other, Buffer.from(secret), 1999)).toBeUndefined();
    });

    test("comes first in the list when it was used last, and leaves the list when its time is over", async () => {
      const account = await testStore.holder();
      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
      await trust(account, first, 1000);
      await trust(account, second, 2000, 5000);
      const order = async (now: number) => (await devices.list(account, now)).map(({ createdAt }) => createdAt);
      expect(await order(3000)).toEqual([2000, 1000]);
      const used = await devices.find(account, Buffer.from(first), 3000);
      await testStore.storage.atomically([devices.using(used?.id ?? "", 3000)]);
      expect(await order(3000)).toEqual([1000, 2000]);
      expect(await order(5000)).toEqual([1000]);
    });

    test("is forgotten by its own account alone: one of them, or all", async () => {
      const [account, other] = [await testStore.holder(), await testStore.holder()];
      for (const each of [account, account, account, other]) await trust(each, crypto.randomUUID(), 1000);
      const [one] = await devices.list(account, 1000);
      expect(await devices.forget(other, one?.id)).toBe(0);
      expect(await devices.forget(account, one?.id)).toBe(1);
      expect(await devices.forget(account)).toBe(2);
      expect([await devices.list(account, 0), (await devices.list(other, 0)).length]).toEqual([[], 1]);
    });
  });
});
