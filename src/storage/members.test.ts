import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newTokenSecret } from "#accounts/token-service.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { addMember, type TestMember } from "#test/support/members.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { PEOPLE } from "./member-steps.ts";
import type { Storage } from "./storage.ts";

const ROUNDS = 40;

describeRecords("the members of a store, on %s", (testRecords) => {
  let node: Storage;
  beforeAll(async () => {
    node = await testRecords.another();
  });
  afterAll(() => node.records.close());

  const join = (store: TestMember, role: Parameters<typeof addMember>[2]) =>
    addMember(testRecords.storage, store.person.account, role);
  const rolesIn = async ({ caller }: TestMember) =>
    Object.fromEntries((await testRecords.records.members.list(caller.account)).map(({ id, role }) => [id, role]));
  const logOf = async ({ caller }: TestMember) =>
    (await testRecords.reads.audit.list(caller.account, { limit: 20, action: "member" })).found;

  test("the people of a store are listed in the order of joining, with their roles and second factors", async () => {
    const first = await addMember(testRecords.storage);
    const [editor, viewer] = [await join(first, "editor"), await join(first, "viewer")];
    const listed = await testRecords.records.members.list(first.person.account);
    expect(listed.map(({ id, role, source }) => [id, role, source])).toEqual([
      [first.person.id, "owner", "hand"],
      [editor.person.id, "editor", "hand"],
      [viewer.person.id, "viewer", "hand"],
    ]);
    expect(listed.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([false, false, false]);
    const factor = { second_factor: "sealed" };
    await testRecords.storage.db.updateTable("people").set(factor).where("id", "=", editor.person.id).execute();
    const again = await testRecords.records.members.list(first.person.account);
    expect(again.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([false, true, false]);
  });

  test("a changed role is entered by address, with what it was; the same role again changes nothing", async () => {
    const first = await addMember(testRecords.storage);
    const editor = await join(first, "editor");
    const { members } = testRecords.records;
    await members.changeRole(first.caller, editor.person.id, "developer");
    await members.changeRole(first.caller, editor.person.id, "developer");
    expect(await rolesIn(first)).toMatchObject({ [editor.person.id]: "developer" });
    expect(await logOf(first)).toMatchObject([
      {
        action: "member.role_changed",
        target: editor.person.id,
        actor: { name: first.person.email },
        detail: { email: editor.person.email, role: "developer", was: "editor" },
      },
    ]);
  });

  test("an owner may be less once somebody else is one, and stays in the store as long as before", async () => {
    const first = await addMember(testRecords.storage);
    const { members } = testRecords.records;
    expect(await refusalOf(members.changeRole(first.caller, first.person.id, "viewer"))).toBe("last-owner");
    const other = await join(first, "owner");
    await members.changeRole(other.caller, first.person.id, "viewer");
    const [listed] = await members.list(first.person.account);
    expect(listed).toMatchObject({ id: first.person.id, role: "viewer" });
    expect(await refusalOf(members.changeRole(first.caller, other.person.id, "viewer"))).toBe("role-refused");
    expect(await refusalOf(members.remove(other.caller, other.person.id, false))).toBe("last-owner");
    expect(
      await refusalOf(members.changeRole({ ...TEST_SOURCE, account: first.person.account }, other.person.id, "editor")),
    ).toBe("last-owner");
    expect(await rolesIn(first)).toEqual({ [first.person.id]: "viewer", [other.person.id]: "owner" });
  });

  test("the id of somebody of another store, and of nobody, is unknown, and nobody is changed", async () => {
    const [first, other] = [await addMember(testRecords.storage), await addMember(testRecords.storage)];
    const editor = await join(other, "editor");
    const { members } = testRecords.records;
    for (const id of [editor.person.id, other.person.id, "nobody", ""]) {
      expect(await refusalOf(members.changeRole(first.caller, id, "owner"))).toBe("resource-unknown");
      expect(await refusalOf(members.remove(first.caller, id, true))).toBe("resource-unknown");
    }
    expect(await rolesIn(other)).toEqual({ [other.person.id]: "owner", [editor.person.id]: "editor" });
    expect(await logOf(other)).toEqual([]);
  });

  test("an owner is made, demoted and removed with a proof alone, whatever they were when it was asked for", async () => {
    const { db } = testRecords.storage;
    const { members } = testRecords.records;
    const first = await addMember(testRecords.storage);
    const [editor, owner] = [await join(first, "editor"), await join(first, "owner")];
    const proof = (set: { proof: "sign-in" | "asked"; proved_at: number }) =>
      db.updateTable("sessions").set(set).where("id", "=", first.caller.actor.id).execute();
    const acts = [
      () => members.changeRole(first.caller, editor.person.id, "owner"),
      () => members.changeRole(first.caller, owner.person.id, "viewer"),
      () => members.remove(first.caller, owner.person.id, false),
    ];
    for (const old of [
      { proof: "sign-in", proved_at: Date.now() },
      { proof: "asked", proved_at: Date.now() - 16 * 60_000 },
    ] as const) {
      await proof(old);
      for (const act of acts) expect(await refusalOf(act())).toBe("proof-needed");
      expect(await refusalOf(members.changeRole(first.caller, editor.person.id, "developer"))).toBeUndefined();
      expect(await refusalOf(members.changeRole(first.caller, editor.person.id, "editor"))).toBeUndefined();
    }
    expect(await rolesIn(first)).toMatchObject({ [editor.person.id]: "editor", [owner.person.id]: "owner" });
    await proof({ proof: "asked", proved_at: Date.now() });
    for (const act of acts) expect(await refusalOf(act())).toBeUndefined();
  });

  test("tokens stay, and are left behind by who may make none any more, until they are rolled or their maker may again", async () => {
    const { tokens, members } = testRecords.records;
    const first = await addMember(testRecords.storage);
    const developer = await join(first, "developer");
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    const { id } = await tokens.add(developer.caller, token, newTokenSecret());
    await tokens.add({ ...TEST_SOURCE, account: first.caller.account }, token, newTokenSecret());
    await tokens.add(first.caller, token, newTokenSecret());
    const leftBehind = async () =>
      (await testRecords.reads.tokens.list(first.caller.account))
        .filter(({ isLeftBehind, revokedAt }) => isLeftBehind && revokedAt === undefined)
        .map((each) => each.id);
    expect(await leftBehind()).toEqual([]);
    for (const role of ["editor", "viewer"] as const) {
      await members.changeRole(first.caller, developer.person.id, role);
      expect(await leftBehind()).toEqual([id]);
    }
    await members.changeRole(first.caller, developer.person.id, "developer");
    expect(await leftBehind()).toEqual([]);
    await members.remove(first.caller, developer.person.id, false);
    expect(await leftBehind()).toEqual([id]);
    await testRecords.records.people.remove(developer.person, undefined, TEST_SOURCE);
    expect(await leftBehind()).toEqual([id]);
    await tokens.roll(first.caller, id, { secret: newTokenSecret(), expiresAt: undefined, endsAt: Date.now() });
    expect(await leftBehind()).toEqual([]);
  });

  test("a removal revokes the active tokens that the person made in that store, if asked, and no others", async () => {
    const { tokens, members } = testRecords.records;
    const first = await addMember(testRecords.storage);
    const developer = await join(first, "developer");
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    const own = { ...developer.caller, account: developer.person.account };
    const ended = await tokens.add(developer.caller, token, newTokenSecret());
    const kept = [
      await tokens.add(first.caller, token, newTokenSecret()),
      await tokens.add(own, token, newTokenSecret()),
    ];
    await members.remove(first.caller, developer.person.id, true);
    const revoked = async ({ account, id }: typeof ended) => (await tokens.find(account, id))?.revokedAt !== undefined;
    expect(await revoked(ended)).toBe(true);
    expect(await Promise.all(kept.map(revoked))).toEqual([false, false]);
    expect(await logOf(first)).toMatchObject([
      {
        action: "member.removed",
        target: developer.person.id,
        detail: { email: developer.person.email, tokens_revoked: true },
      },
    ]);
  });

  describe("by the rules for an identity provider", () => {
    const storeOf = async (records: Storage["records"]) => (await records.members.providerStore()) ?? 0;
    const follow = async (records: Storage["records"], { person }: TestMember) =>
      refusalOf(records.members.follow(await storeOf(records), person, "viewer", TEST_SOURCE));
    // The first store is there, and belongs to none of those who join it.
    beforeAll(() => addMember(testRecords.storage));

    test("nobody joins beyond 50 people and invitations, on two nodes at once neither", async () => {
      const { db } = testRecords.storage;
      const first = await storeOf(testRecords.records);
      const people = () => testRecords.records.members.list(first);
      while ((await people()).length < PEOPLE.each - 1) await addMember(testRecords.storage, first, "viewer");
      const [here, there] = [await addMember(testRecords.storage), await addMember(testRecords.storage)];
      const outcomes = await Promise.all([follow(testRecords.records, here), follow(node.records, there)]);
      expect(outcomes.toSorted()).toEqual(["account-limit", undefined]);
      expect(await follow(testRecords.records, await addMember(testRecords.storage))).toBe("account-limit");
      expect(await people()).toHaveLength(PEOPLE.each);
      await db.deleteFrom("members").where("store", "=", first).execute();
    });

    test(`somebody who signs in twice at once joins once, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const member = await addMember(testRecords.storage);
        const outcomes = await Promise.all([follow(testRecords.records, member), follow(node.records, member)]);
        expect(outcomes).toEqual([undefined, undefined]);
        const [, joined] = await testRecords.records.members.storesOf(member.person);
        expect(joined?.role).toBe("viewer");
        const store = await storeOf(testRecords.records);
        await testRecords.records.members.follow(store, member.person, undefined, TEST_SOURCE);
      }
    });

    test(`somebody who is removed while they sign in with another role is not refused, ${ROUNDS} times`, async () => {
      const store = await storeOf(testRecords.records);
      const owner = await addMember(testRecords.storage, store, "owner");
      for (let round = 0; round < ROUNDS; round++) {
        const member = await addMember(testRecords.storage);
        await testRecords.records.members.follow(store, member.person, "editor", TEST_SOURCE);
        const outcomes = await Promise.all([
          follow(testRecords.records, member),
          refusalOf(node.records.members.remove({ ...owner.caller, account: store }, member.person.id, false)),
        ]);
        expect(outcomes).toEqual([undefined, undefined]);
      }
    });
  });

  test(`of two owners who demote each other at once on two nodes one is refused, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await addMember(testRecords.storage);
      const two = await join(one, "owner");
      const outcomes = await Promise.all([
        refusalOf(testRecords.records.members.changeRole(one.caller, two.person.id, "editor")),
        refusalOf(node.records.members.changeRole(two.caller, one.person.id, "editor")),
      ]);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "role-refused")).toHaveLength(1);
      expect(Object.values(await rolesIn(one)).toSorted()).toEqual(["editor", "owner"]);
    }
  });
});
