import { expect, test } from "bun:test";
import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import { auditedActions, TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { findHolder, type Holder } from "#test/support/test-account.ts";
import { describeRecords, openTestRecords } from "#test/support/test-records.ts";
import { lockingPerson, required } from "../database-access.ts";
import { Credentials, type NewPerson } from "./credentials.ts";
import { Identities } from "./identities.ts";
import { MailLinks } from "./mail-links.ts";

const CREATED = { ...TEST_SOURCE, action: "account.created" } as const;
const WAYS = { issuer: "https://login.example", only: false };
const NO_CODE = new Failure("sign-up-refused", "This code is not good any more");

describeRecords("on %s", (testRecords) => {
  const credentials = new Credentials(testRecords.storage);

  const row = (email: string): NewPerson => {
    const store = { id: crypto.randomUUID(), name: "Greenleaf", isTest: false };
    return { id: crypto.randomUUID(), email, name: "Fern", password: `hash of ${email}`, store };
  };

  async function added(email = `${crypto.randomUUID()}@example.test`): Promise<Holder> {
    const account = row(email);
    await credentials.add(account, CREATED);
    return findHolder(testRecords.storage, { email });
  }

  const actions = ({ id }: Holder) => auditedActions(testRecords, id);

  test("a person is kept with their store, of which they are the owner, each with its entry in its own log", async () => {
    const person = await added();
    const { records } = testRecords;
    const [store] = await records.members.storesOf(person);
    expect(store).toMatchObject({ name: "Greenleaf", role: "owner", isTest: false });
    expect(await actions(person)).toEqual(["account.created"]);
    expect(await auditedActions(testRecords, person.account)).toEqual(["store.created"]);
    await records.people.remove(person, undefined, TEST_SOURCE);
  });

  test("of those who come with the first account's code at once one makes it, and nobody afterwards", async () => {
    await credentials.putFirstCode("the code");
    expect([await credentials.isFirstCode("the code"), await credentials.anybody()]).toEqual([true, false]);
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
    expect(await testRecords.reads.stores.list()).toHaveLength(1);
    expect([await credentials.isFirstCode("the code"), await credentials.anybody()]).toEqual([false, true]);
    await credentials.putFirstCode("the code");
    await expect(add("d")).rejects.toBe(NO_CODE);
    await node.records.close();
  });

  test("of seven identities that are added at once, on two nodes, a person gets five", async () => {
    const [{ id }, node] = [await added(), await testRecords.another()];
    const entry = { ...TEST_SOURCE, ofPerson: id, action: "identity.added" } as const;
    const adding = Array.from({ length: 7 }, (_, at) => {
      const storage = at % 2 === 0 ? testRecords.storage : node;
      const identity = { id: crypto.randomUUID(), issuer: "https://login.example", subject: `${id} ${at}`, email: "" };
      const first = required(lockingPerson(storage.db, id), () => NO_CODE);
      return refusalOf(new Identities(storage, WAYS).add({ id }, identity, first, entry));
    });
    const ends = await Promise.all(adding);
    expect(ends.filter((end) => end !== undefined)).toEqual(["account-limit", "account-limit"]);
    expect(await new Identities(node, WAYS).list({ id })).toHaveLength(5);
    await node.records.close();
  });

  test("an address has one account: neither a new one nor another takes it, and nothing of that is kept", async () => {
    const [person, other] = [await added(), await added()];
    const before = await testRecords.reads.stores.list();
    const taken = { code: "account-exists" };
    await expect(credentials.add(row(other.email), CREATED)).rejects.toMatchObject(taken);
    const entry = { ...TEST_SOURCE, ofPerson: person.id, action: "settings.changed" } as const;
    const change = credentials.change(person, { name: "Taken", email: other.email }, entry);
    await expect(change).rejects.toMatchObject(taken);
    expect(await testRecords.reads.stores.list()).toEqual(before);
    expect(await actions(person)).toEqual(["account.created"]);
  });

  test("a new name leaves the address verified, and a new address is not, whatever was mailed to the old one", async () => {
    const person = await added();
    const link = { hash: new Uint8Array(), personId: person.id, email: person.email };
    const verifying = new MailLinks(testRecords.storage).verifying(link);
    await testRecords.storage.atomically([verifying]);
    const verified = async () => (await testRecords.records.people.find({ id: person.id }))?.emailVerified;
    const entry = { ...TEST_SOURCE, ofPerson: person.id, action: "settings.changed" } as const;
    await credentials.change(person, { name: "Moss", email: person.email }, entry);
    expect(await verified()).toBe(true);
    await credentials.change(person, { email: `new-${person.email}` }, entry);
    await testRecords.storage.atomically([verifying]);
    expect(await verified()).toBe(false);
    // A change to the same values leaves no entry.
    await credentials.change(person, { name: "Moss", email: `new-${person.email}` }, entry);
    expect(await actions(person)).toEqual(["settings.changed", "settings.changed", "account.created"]);
  });

  test("a change of the password revokes the person's tokens if it is asked to, and those of nobody else", async () => {
    const [person, other] = [await added(), await added()];
    const { tokens } = testRecords.records;
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    for (const { account, id } of [person, other])
      await tokens.add({ ...testCaller(account), person: id }, token, `secret of ${account}`);
    const revoked = async ({ account: number }: Holder) =>
      (await testRecords.reads.tokens.list(number))[0]?.revokedAt !== undefined;
    await credentials.changePassword(person, { password: "a new hash" }, []);
    expect([await revoked(person), await credentials.passwordOf(person)]).toEqual([false, "a new hash"]);
    await credentials.changePassword(person, { password: "a new hash", revokeTokens: true }, []);
    expect([await revoked(person), await revoked(other)]).toEqual([true, false]);
    expect(await credentials.passwordOf(other)).toBe(`hash of ${other.email}`);
  });

  test("with the password end the tokens that the person made in any store, also in those that they have left", async () => {
    const [person, other] = [await added(), await added()];
    const { records, storage } = testRecords;
    const made = async (store: Holder, by: Holder | undefined) => {
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      const caller = { ...testCaller(store.account), person: by?.id };
      const { id, account } = await records.tokens.add(caller, token, crypto.randomUUID());
      return async () => (await records.tokens.find(account, id))?.revokedAt !== undefined;
    };
    const own = [await made(person, person), await made(other, person)];
    const others = [await made(person, other), await made(other, other), await made(person, undefined)];
    expect((await credentials.remaining(person)).activeTokens).toBe(2);
    await credentials.changePassword(person, { password: "a new hash", revokeTokens: true }, []);
    const revoked = await Promise.all([...own, ...others].map((isRevoked) => isRevoked()));
    expect(revoked).toEqual([true, true, false, false, false]);
    expect((await credentials.remaining(person)).activeTokens).toBe(0);
    expect(await storage.db.selectFrom("members").selectAll().where("person", "=", person.id).execute()).toHaveLength(
      1,
    );
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
  await sql`CREATE TRIGGER refused BEFORE INSERT ON people FOR EACH ROW EXECUTE FUNCTION refuse()`.execute(storage.db);
  const adding = new Credentials(storage).add({ id: "a", email: "a@example.test", name: "", password: "" }, CREATED);
  await expect(adding).rejects.toMatchObject({ code: "account-exists" });
  await end();
});
