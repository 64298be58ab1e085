import { expect, test } from "bun:test";
import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import { auditedActions, TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { refusalOf } from "#test/support/refusal.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords, openTestRecords } from "#test/support/test-records.ts";
import { lockingAccount, required } from "../database-access.ts";
import { Credentials, type NewAccountRow } from "./credentials.ts";
import { Identities } from "./identities.ts";
import { MailLinks } from "./mail-links.ts";

const CREATED = { ...TEST_SOURCE, action: "account.created" } as const;
const WAYS = { issuer: "https://login.example", only: false };
const NO_CODE = new Failure("sign-up-refused", "This code is not good any more");

describeRecords("on %s", (testRecords) => {
  const credentials = new Credentials(testRecords.storage);

  const row = (email: string): NewAccountRow => ({
    ...{ id: crypto.randomUUID(), email },
    name: "Fern",
    password: `hash of ${email}`,
  });

  async function added(email = `${crypto.randomUUID()}@example.test`): Promise<Holder> {
    const account = row(email);
    await credentials.add(account, CREATED);
    const person = await testRecords.records.people.find({ email });
    if (!person) throw new Error("The account was not kept");
    return person;
  }

  const actions = ({ account: number }: Holder) => auditedActions(testRecords, number);

  test("of those who come with the first account's code at once one makes it, and nobody afterwards", async () => {
    await credentials.putFirstCode("the code");
    expect([await credentials.isFirstCode("the code"), await credentials.anyAccount()]).toEqual([true, false]);
    const node = await testRecords.another();
    const add = (name: string, by = credentials) => {
      const account = row(`${name}@example.test`);
      return by.add(account, CREATED, {
        before: [required(by.claiming(account, "the code"), () => NO_CODE)],
      });
    };
    const ends = await Promise.allSettled([add("a"), add("b", new Credentials(node)), add("c")]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toBe(NO_CODE);
    expect(await testRecords.reads.accounts.list()).toHaveLength(1);
    expect([await credentials.isFirstCode("the code"), await credentials.anyAccount()]).toEqual([false, true]);
    await credentials.putFirstCode("the code");
    await expect(add("d")).rejects.toBe(NO_CODE);
    await node.records.close();
  });

  test("of seven identities that are added at once, on two nodes, a person gets five", async () => {
    const [{ id, account }, node] = [await added(), await testRecords.another()];
    const entry = { ...TEST_SOURCE, account, action: "identity.added" } as const;
    const adding = Array.from({ length: 7 }, (_, at) => {
      const storage = at % 2 === 0 ? testRecords.storage : node;
      const identity = { id: crypto.randomUUID(), issuer: "https://login.example", subject: `${id} ${at}`, email: "" };
      const first = required(lockingAccount(storage.db, account), () => NO_CODE);
      return refusalOf(new Identities(storage, WAYS).add({ id }, identity, first, entry));
    });
    const ends = await Promise.all(adding);
    expect(ends.filter((end) => end !== undefined)).toEqual(["account-limit", "account-limit"]);
    expect(await new Identities(node, WAYS).list({ id })).toHaveLength(5);
    await node.records.close();
  });

  test("an address has one account: neither a new one nor another takes it, and nothing of that is kept", async () => {
    const [person, other] = [await added(), await added()];
    const before = await testRecords.reads.accounts.list();
    const taken = { code: "account-exists" };
    await expect(credentials.add(row(other.email), CREATED)).rejects.toMatchObject(taken);
    const entry = { ...TEST_SOURCE, account: person.account, action: "settings.changed" } as const;
    const change = credentials.change(person, { name: "Taken", email: other.email }, entry);
    await expect(change).rejects.toMatchObject(taken);
    expect(await testRecords.reads.accounts.list()).toEqual(before);
    expect(await actions(person)).toEqual(["account.created"]);
  });

  test("a new name leaves the address verified, and a new address is not, whatever was mailed to the old one", async () => {
    const person = await added();
    const link = { hash: new Uint8Array(), personId: person.id, email: person.email };
    const verifying = new MailLinks(testRecords.storage).verifying(link);
    await testRecords.storage.atomically([verifying]);
    const verified = async () => (await testRecords.records.people.find({ id: person.id }))?.emailVerified;
    const entry = { ...TEST_SOURCE, account: person.account, action: "settings.changed" } as const;
    await credentials.change(person, { name: "Moss", email: person.email }, entry);
    expect(await verified()).toBe(true);
    await credentials.change(person, { email: `new-${person.email}` }, entry);
    await testRecords.storage.atomically([verifying]);
    expect(await verified()).toBe(false);
    // A change to the same values leaves no entry.
    await credentials.change(person, { name: "Moss", email: `new-${person.email}` }, entry);
    expect(await actions(person)).toEqual(["settings.changed", "settings.changed", "account.created"]);
  });

  test("a change of the password revokes the account's tokens if it is asked to, and those of no other account", async () => {
    const [person, other] = [await added(), await added()];
    const { tokens } = testRecords.records;
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    for (const { account: number } of [person, other])
      await tokens.add(testCaller(number), token, `secret of ${number}`);
    const revoked = async ({ account: number }: Holder) =>
      (await testRecords.reads.tokens.list(number))[0]?.revokedAt !== undefined;
    await credentials.changePassword(person, { password: "a new hash" }, []);
    expect([await revoked(person), await credentials.passwordOf(person)]).toEqual([false, "a new hash"]);
    await credentials.changePassword(person, { password: "a new hash", revokeTokens: true }, []);
    expect([await revoked(person), await revoked(other)]).toEqual([true, false]);
    expect(await credentials.passwordOf(other)).toBe(`hash of ${other.email}`);
  });

  test("with the password end the tokens that the person made in any store, and none that others made", async () => {
    const [person, other, viewer] = [await added(), await added(), await added()];
    const { db } = testRecords.storage;
    for (const [store, member, role] of [
      [other, person, "developer"],
      [person, other, "owner"],
      [person, viewer, "viewer"],
      [viewer, viewer, "viewer"],
    ] as const) {
      const row = { account: store.account, user_id: member.id, role, source: "hand", created_at: 1 } as const;
      await db.insertInto("members").values(row).execute();
    }
    const made = async (store: Holder, by: Holder | undefined) => {
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      const caller = { ...testCaller(store.account), person: by?.id };
      const { id, account } = await testRecords.records.tokens.add(caller, token, crypto.randomUUID());
      return async () => (await testRecords.records.tokens.find(account, id))?.revokedAt !== undefined;
    };
    const own = [await made(person, person), await made(other, person), await made(person, undefined)];
    const others = [await made(person, other), await made(other, other), await made(other, undefined)];
    const notTheirs = await made(viewer, undefined);
    expect((await credentials.remaining(person)).activeTokens).toBe(3);
    expect((await credentials.remaining(viewer)).activeTokens).toBe(0);
    for (const each of [person, viewer])
      await credentials.changePassword(each, { password: "a new hash", revokeTokens: true }, []);
    expect(await Promise.all([...own, ...others].map((isRevoked) => isRevoked()))).toEqual([
      ...[true, true, true],
      ...[false, false, false],
    ]);
    expect(await notTheirs()).toBe(false);
    expect((await credentials.remaining(person)).activeTokens).toBe(0);
  });

  test("a kept secret is made once, by whichever node asks first, and is the same for all", async () => {
    const other = await testRecords.another();
    let made = 0;
    const ask = (records: typeof testRecords.records) => records.keptSecret("signing", () => `secret ${++made}`);
    const given = await Promise.all([testRecords.records, other.records, testRecords.records, other.records].map(ask));
    expect(new Set(given).size).toBe(1);
    expect(await ask(other.records)).toBe(given[0] ?? "");
    expect(await testRecords.records.keptSecret("another", () => "its own")).toBe("its own");
    await other.records.close();
  });
});

test("on PostgreSQL an address that is taken is told from other errors, whatever the language of the database's messages", async () => {
  const { storage, end } = await openTestRecords("postgres");
  await sql`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'llave duplicada viola restricción de unicidad' USING ERRCODE = 'unique_violation';
    END $$`.execute(storage.db);
  await sql`CREATE TRIGGER refused BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION refuse()`.execute(
    storage.db,
  );
  const adding = new Credentials(storage).add({ id: "a", email: "a@example.test", name: "", password: "" }, CREATED);
  await expect(adding).rejects.toMatchObject({ code: "account-exists" });
  await end();
});
