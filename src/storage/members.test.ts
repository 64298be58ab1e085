import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newTokenSecret } from "#accounts/token-service.ts";
import { PEOPLE } from "#load/limits.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { addMember, type TestMember } from "#test/support/members.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { describeRecords } from "#test/support/test-records.ts";
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

  test("who made a store is its first owner without a row, since then; others follow in the order of joining", async () => {
    const first = await addMember(testRecords.storage);
    const [editor, viewer] = [await join(first, "editor"), await join(first, "viewer")];
    const listed = await testRecords.records.members.list(first.person.account);
    expect(listed.map(({ id, role, source }) => [id, role, source])).toEqual([
      [first.person.id, "owner", "hand"],
      [editor.person.id, "editor", "hand"],
      [viewer.person.id, "viewer", "hand"],
    ]);
    expect(listed[0]?.joinedAt).toBe(first.person.createdAt);
    expect(listed.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([false, false, false]);
    const factor = { two_factor_enabled: true };
    await testRecords.storage.db.updateTable("accounts").set(factor).where("id", "=", editor.person.id).execute();
    const again = await testRecords.records.members.list(first.person.account);
    expect(again.map(({ hasSecondFactor }) => hasSecondFactor)).toEqual([false, true, false]);
  });

  test("people who joined in the same millisecond are listed in the order in which they signed up", async () => {
    const first = await addMember(testRecords.storage);
    const { account } = first.person;
    const joined: string[] = [];
    while (joined.length < 6) joined.push((await join(first, "viewer")).person.id);
    await testRecords.storage.db
      .updateTable("members")
      .set({ created_at: Date.now() })
      .where("account", "=", account)
      .execute();
    const listed = await testRecords.records.members.list(account);
    expect(listed.map(({ id }) => id)).toEqual([first.person.id, ...joined]);
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

  test("who made a store may be less than an owner once somebody else is one, and is in it as long as before", async () => {
    const first = await addMember(testRecords.storage);
    const { members } = testRecords.records;
    expect(await refusalOf(members.changeRole(first.caller, first.person.id, "viewer"))).toBe("last-owner");
    const other = await join(first, "owner");
    await members.changeRole(other.caller, first.person.id, "viewer");
    const [listed] = await members.list(first.person.account);
    expect(listed).toMatchObject({ id: first.person.id, role: "viewer", joinedAt: first.person.createdAt });
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

  describe.each(["a change of the role", "a removal"] as const)("with %s", (how) => {
    const end = (by: TestMember, { person }: TestMember) =>
      how === "a removal"
        ? testRecords.records.members.remove(by.caller, person.id, false)
        : testRecords.records.members.changeRole(by.caller, person.id, "viewer");

    test("tokens that the person made stay", async () => {
      const first = await addMember(testRecords.storage);
      const developer = await join(first, "developer");
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      const { id } = await testRecords.records.tokens.add(developer.caller, token, newTokenSecret());
      await end(first, developer);
      expect((await testRecords.records.tokens.find(first.caller.account, id))?.revokedAt).toBeUndefined();
    });
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
      await db.deleteFrom("members").where("account", "=", first).execute();
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
