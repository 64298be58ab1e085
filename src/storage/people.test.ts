import { expect, test } from "bun:test";
import type { Role } from "#core/role.ts";
import { auditedActions, personCaller, TEST_SOURCE } from "#test/support/audit.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { addAccount, type Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { Credentials } from "./sign-in/credentials.ts";
import { SessionRows } from "./sign-in/sessions.ts";
import type { Storage } from "./storage.ts";

const ROUNDS = 20;
let people = 0;

describeRecords("people of stores on %s", (opened) => {
  const person = () => addAccount(opened.storage, `p${++people}@example.test`);
  const storesOf = async (of: Holder) =>
    (await opened.records.members.storesOf(of)).map(({ id, role }) => `${id} ${role}`).sort();

  async function join(store: Holder, member: Holder, role: Role): Promise<void> {
    const row = { store: store.account, person: member.id, role, source: "hand", joined_at: Date.now() } as const;
    await opened.storage.db.insertInto("members").values(row).execute();
  }

  /** Resolves with the person as who acts by a new session. */
  async function session(of: Holder, secret: string = crypto.randomUUID()) {
    const browser = { userAgent: "", address: "", expiresAt: Date.now() + 60_000, remembered: true };
    const id = crypto.randomUUID();
    const caller = personCaller(of, id);
    const rows = new SessionRows(opened.storage);
    const entry = { ...caller, ofPerson: of.id, action: "sign_in.succeeded" } as const;
    await rows.add({ ...browser, id, secret, person: of, epoch: 0 }, entry);
    return caller;
  }

  async function leave(who: Holder, store: Holder, { records }: Pick<Storage, "records"> = opened) {
    return records.members.leave({ ...(await session(who)), account: store.account }, who.id);
  }

  test("who made a store leaves like anybody else: their sign-in goes on, and the store keeps what it has", async () => {
    const { storage, records } = opened;
    const [first, second] = [await person(), await person()];
    await join(first, second, "owner");
    await records.plants.createMany(first.account, newPlants(3));
    const secret = crypto.randomUUID();
    const caller = { ...(await session(first, secret)), account: first.account };
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    const { id } = await records.tokens.add(caller, token, "a");
    await records.members.leave(caller, first.id);
    expect((await new SessionRows(storage).find(secret))?.stores).toEqual([]);
    expect(await records.people.find({ id: first.id })).toMatchObject({ email: first.email });
    expect(await storesOf(second)).toEqual([`${first.storeId} owner`, `${second.storeId} owner`].sort());
    expect(await records.plants.count(first.account)).toBe(3);
    expect(await records.tokens.find(first.account, id)).toMatchObject({ madeBy: first.id });
    expect((await opened.reads.tokens.list(first.account)).map(({ isLeftBehind }) => isLeftBehind)).toEqual([true]);
    expect(await refusalOf(records.members.leave(caller, first.id))).toBe("resource-unknown");
    expect((await auditedActions(opened, first.account))[0]).toBe("member.left");
  });

  test(`of the last two owners who leave at once, on two nodes, one stays, ${ROUNDS} times`, async () => {
    const node = await opened.another();
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second] = [await person(), await person()];
      await join(first, second, "owner");
      const outcomes = await Promise.all([refusalOf(leave(first, first)), refusalOf(leave(second, first, node))]);
      expect(outcomes.toSorted()).toEqual(["last-owner", undefined]);
      expect(await opened.records.members.list(first.account)).toMatchObject([{ role: "owner" }]);
    }
    await node.records.close();
  }, 60_000);

  test("a person is removed with the stores that nobody else belongs to, and the others stay with their owners", async () => {
    const { records } = opened;
    const [going, other] = [await person(), await person()];
    const trial = await records.stores.add(going, { name: "Trial", isTest: true }, true, TEST_SOURCE);
    await join(going, other, "owner");
    await join(other, going, "editor");
    const fates = (await records.people.storesAfterRemoval(going)).map(({ id, fate, people }) => [id, [fate, people]]);
    expect(Object.fromEntries(fates)).toEqual({
      [going.storeId]: ["kept", 2],
      [trial]: ["deleted", 1],
      [other.storeId]: ["kept", 2],
    });
    await records.plants.createMany(going.account, newPlants(2));
    await records.people.remove(going, [trial], TEST_SOURCE);
    expect(await records.people.find({ email: going.email })).toBeUndefined();
    expect(await records.stores.find({ id: trial })).toBeUndefined();
    expect(await storesOf(other)).toEqual([`${going.storeId} owner`, `${other.storeId} owner`].sort());
    expect(await records.plants.count(going.account)).toBe(2);
    for (const { account } of [going, other]) expect((await auditedActions(opened, account))[0]).toBe("member.left");
  });

  test("a person is removed only with the stores that they saw go, and with none that others would be left in alone", async () => {
    const { records } = opened;
    const [owner, editor] = [await person(), await person()];
    const remove = (...shown: string[]) => refusalOf(records.people.remove(owner, shown, TEST_SOURCE));
    for (const shown of [[], [owner.storeId, "another"], ["another"]]) {
      expect(await remove(...shown)).toBe("changed-meanwhile");
    }
    await join(owner, editor, "editor");
    expect(await remove(owner.storeId)).toBe("last-owner");
    expect(await records.people.storesAfterRemoval(owner)).toMatchObject([{ fate: "blocking" }]);
    await expect(records.people.remove(owner, undefined, TEST_SOURCE)).rejects.toThrow(
      `${owner.name} would have no owner: make somebody else an owner first`,
    );
    expect(await storesOf(owner)).toEqual([`${owner.storeId} owner`]);
    await opened.storage.db.updateTable("members").set({ role: "owner" }).where("person", "=", editor.id).execute();
    expect(await remove()).toBeUndefined();
    expect(await storesOf(editor)).toEqual([`${editor.storeId} owner`, `${owner.storeId} owner`].sort());
  });

  test(`no store goes that was to stay if its other owner leaves meanwhile, on two nodes, ${ROUNDS} times`, async () => {
    const node = await opened.another();
    for (let round = 0; round < ROUNDS; round++) {
      const [going, other, viewer] = [await person(), await person(), await person()];
      await join(going, other, "owner");
      if (round % 2 === 0) await join(going, viewer, "viewer");
      const [removed, left] = await Promise.all([
        refusalOf(opened.records.people.remove(going, [], TEST_SOURCE)),
        refusalOf(leave(other, going, node)),
      ]);
      expect(await opened.records.stores.find({ id: going.storeId })).toBeDefined();
      // Where nobody else is left, the store would go, and was not among those shown.
      const refused = round % 2 === 0 ? [] : [["changed-meanwhile", undefined]];
      expect([[undefined, "last-owner"], ["last-owner", undefined], ...refused]).toContainEqual([removed, left]);
    }
    await node.records.close();
  }, 60_000);

  test("two owners who are removed at once, on two nodes, leave their store an owner", async () => {
    const node = await opened.another();
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second, third] = [await person(), await person(), await person()];
      await join(first, second, "owner");
      await join(first, third, "viewer");
      const outcomes = await Promise.all([
        refusalOf(opened.records.people.remove(first, undefined, TEST_SOURCE)),
        refusalOf(node.records.people.remove(second, undefined, TEST_SOURCE)),
      ]);
      expect(outcomes.toSorted()).toEqual(["last-owner", undefined]);
    }
    await node.records.close();
  }, 60_000);

  test("what stands in a person's own log is in no store's, and goes with them but for one entry of their removal", async () => {
    const { records, storage } = opened;
    const [first, owner] = [await person(), await person()];
    await join(first, owner, "owner");
    const caller = await session(first);
    const entry = { ...caller, ofPerson: first.id, action: "settings.changed" } as const;
    await new Credentials(storage).change(first, { email: "moved@example.test" }, { ...entry, address: "192.0.2.1" });
    await records.stores.change({ ...caller, account: first.account }, { name: "Greenleaf" });
    const own = ["settings.changed", "sign_in.succeeded", "account.created"] as const;
    expect(await auditedActions(opened, first.id)).toEqual([...own]);
    expect(await auditedActions(opened, first.account)).toEqual(["settings.changed", "store.created"]);
    const { found } = await opened.reads.audit.list(first.account, { limit: 10 });
    expect(found.every(({ address }) => address === undefined)).toBe(true);
    await records.people.remove(first, undefined, TEST_SOURCE);
    const left = (await opened.reads.audit.list(first.id, { limit: 10 })).found;
    expect(left).toMatchObject([
      {
        action: "account.deleted",
        target: first.id,
        actor: TEST_SOURCE.actor,
        detail: { email: "moved@example.test" },
      },
    ]);
    expect(await auditedActions(opened, first.account)).toContain("store.created");
  });

  test("a change of who is removed meanwhile is refused, and nothing of it is kept", async () => {
    const { records, storage } = opened;
    const gone = await person();
    const caller = await session(gone);
    const credentials = new Credentials(storage);
    const epoch = (await credentials.epochOf(gone.id)) ?? 0;
    await records.people.remove(gone, undefined, TEST_SOURCE);
    const entry = { ...TEST_SOURCE, ofPerson: gone.id, action: "settings.changed" } as const;
    const browser = { userAgent: "", address: "", expiresAt: Date.now() + 60_000, remembered: true };
    const opening = { ...browser, id: "s", secret: "s", person: gone, epoch };
    const opened2 = { ...caller, ofPerson: gone.id, action: "sign_in.succeeded" } as const;
    const works = [
      [() => credentials.change(gone, { name: "Another" }, entry), "session-missing"],
      [() => credentials.change(gone, { name: "Another" }, { ...entry, ...caller }), "session-missing"],
      [() => credentials.changePassword(gone, { password: "new" }, []), "session-missing"],
      [() => new SessionRows(storage).add(opening, opened2), "sign-in-refused"],
    ] as const;
    for (const [work, refusal] of works) expect(await refusalOf(work())).toBe(refusal);
    await Promise.all([1, 2].map(() => records.people.remove(gone, undefined, TEST_SOURCE)));
  });
});
