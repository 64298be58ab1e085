import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Account } from "#core/account.ts";
import { Failure } from "#core/failure.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import { describeStores, openTestStore } from "#test/support/stores.ts";
import { required } from "../atomically.ts";
import { Credentials, type NewAccountRow, type PasswordChange } from "./credentials.ts";
import { MailLinks } from "./mail-links.ts";
import { WelcomeCodes } from "./welcome-codes.ts";

const created = () => ({ ...TEST_SOURCE, action: "account.created" }) as const;
const NO_CODE = new Failure("sign-up-refused", "This code is not good any more");

describeStores("on %s", (testStore) => {
  let credentials: Credentials;
  beforeAll(() => {
    credentials = new Credentials(testStore.storage);
  });

  const row = (email: string): NewAccountRow => ({ email, name: "Fern", password: `hash of ${email}` });

  async function added(email = `${crypto.randomUUID()}@example.test`): Promise<Account> {
    await credentials.add(row(email), created);
    const account = await testStore.store.accounts.findByEmail(email);
    if (!account) throw new Error("The account was not kept");
    return account;
  }

  const actions = ({ number }: Account) => auditedActions(testStore, number);

  describe("the first account", () => {
    let codes: WelcomeCodes;
    beforeEach(async () => {
      codes = new WelcomeCodes(testStore.storage);
      await testStore.storage.db.deleteFrom("accounts").execute();
    });

    const first = (codeHash: string) => ({ codeHash, codeRefused: () => NO_CODE });

    test("of those who come with its code at once one makes it, and the code is used", async () => {
      await codes.put("the code");
      expect([await codes.isWaiting("the code"), await codes.anyAccount()]).toEqual([true, false]);
      const node = await testStore.another();
      const other = new Credentials(node);
      const tries = ["a", "b", "c"].map((name, at) =>
        (at % 2 ? other : credentials).add(row(`${name}@example.test`), created, first("the code")),
      );
      const ends = await Promise.allSettled(tries);
      expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
      for (const end of ends) if (end.status === "rejected") expect(end.reason).toBe(NO_CODE);
      expect(await testStore.reads.accounts.list()).toHaveLength(1);
      expect([await codes.isWaiting("the code"), await codes.anyAccount()]).toEqual([false, true]);
      await node.store.close();
    });

    test("is not made with another code, nor with one that a newer replaced", async () => {
      await codes.put("older");
      await codes.put("newer");
      expect(await codes.isWaiting("older")).toBe(false);
      for (const code of ["older", "guessed", ""]) {
        await expect(credentials.add(row("a@example.test"), created, first(code))).rejects.toBe(NO_CODE);
      }
      expect(await testStore.reads.accounts.list()).toEqual([]);
      expect(await codes.isWaiting("newer")).toBe(true);
    });

    test("is not made with a waiting code once there is an account", async () => {
      await codes.put("waiting");
      await added();
      await expect(credentials.add(row("late@example.test"), created, first("waiting"))).rejects.toBe(NO_CODE);
      expect(await testStore.store.accounts.findByEmail("late@example.test")).toBeUndefined();
    });
  });

  test("an account is found by its address in any case, by id and by number, with its entry in the audit log", async () => {
    const account = await added("calathea@example.test");
    const { accounts } = testStore.store;
    expect(account).toMatchObject({ name: "Fern", twoFactor: false, emailVerified: false });
    expect(await accounts.findByEmail("Calathea@EXAMPLE.test")).toEqual(account);
    expect(await accounts.findById(account.id)).toEqual(account);
    expect(await accounts.findByNumber(account.number)).toEqual(account);
    expect(await testStore.reads.accounts.list()).toContainEqual(account);
    expect(await actions(account)).toEqual(["account.created"]);
    expect(await credentials.passwordOf(account)).toBe("hash of calathea@example.test");
    expect(await credentials.passwordOf({ id: "unknown" })).toBeUndefined();
    expect(await credentials.epochOf("unknown")).toBeUndefined();
  });

  test("an address has one account: a second is refused, and nothing of it is kept", async () => {
    const { email } = await added();
    const before = await testStore.reads.accounts.list();
    await expect(credentials.add(row(email), created)).rejects.toMatchObject({ code: "account-exists" });
    expect(await testStore.reads.accounts.list()).toEqual(before);
  });

  test("an account cannot take the address of another, and stays as it was when it tries", async () => {
    const [account, other] = [await added(), await added()];
    const entry = { ...TEST_SOURCE, account: account.number, action: "settings.changed" } as const;
    const change = credentials.change(account, { name: "Taken", email: other.email }, entry);
    await expect(change).rejects.toMatchObject({ code: "account-exists" });
    expect(await testStore.store.accounts.findById(account.id)).toEqual(account);
    expect(await actions(account)).toEqual(["account.created"]);
  });

  test("a new address is not verified, and a new name leaves the address verified", async () => {
    const account = await added();
    await testStore.storage.atomically([
      new MailLinks(testStore.storage).verifying({
        hash: new Uint8Array(),
        accountId: account.id,
        email: account.email,
      }),
    ]);
    const verified = async () => (await testStore.store.accounts.findById(account.id))?.emailVerified;
    const entry = { ...TEST_SOURCE, account: account.number, action: "settings.changed" } as const;
    await credentials.change(account, { name: "Moss", email: account.email }, entry);
    expect(await verified()).toBe(true);
    await credentials.change(account, { email: `new-${account.email}` }, entry);
    expect(await verified()).toBe(false);
    // A change to the same values leaves no entry.
    await credentials.change(account, { name: "Moss", email: `new-${account.email}` }, entry);
    expect(await actions(account)).toEqual(["settings.changed", "settings.changed", "account.created"]);
  });

  describe("a change of the password", () => {
    const change = (more: Partial<PasswordChange> = {}): PasswordChange => ({
      password: "a new hash",
      revokeTokens: false,
      removePasskeys: false,
      ...more,
    });

    test("revokes the account's tokens if it is asked to, and those of no other account", async () => {
      const [account, other] = [await added(), await added()];
      const { tokens } = testStore.store;
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      for (const { number } of [account, other]) await tokens.add(number, token, `secret of ${number}`, TEST_SOURCE);
      const revoked = async ({ number }: Account) =>
        (await testStore.reads.tokens.list(number))[0]?.revokedAt !== undefined;
      await credentials.changePassword(account, change(), []);
      expect([await revoked(account), await credentials.passwordOf(account)]).toEqual([false, "a new hash"]);
      await credentials.changePassword(account, change({ revokeTokens: true }), []);
      expect([await revoked(account), await revoked(other)]).toEqual([true, false]);
      expect(await credentials.passwordOf(other)).toBe(`hash of ${other.email}`);
    });

    test("whose condition does not hold changes nothing", async () => {
      const account = await added();
      const links = new MailLinks(testStore.storage);
      const gone = { hash: Buffer.from(account.id), accountId: account.id, email: account.email };
      const refused = new Failure("link-refused", "This link was used");
      const condition = required(links.using(gone), () => refused);
      const entry = { ...TEST_SOURCE, account: account.number, action: "password.changed" } as const;
      await expect(credentials.changePassword(account, change(), [entry], condition)).rejects.toBe(refused);
      expect(await credentials.passwordOf(account)).toBe(`hash of ${account.email}`);
      expect([await credentials.epochOf(account.id), await actions(account)]).toEqual([0, ["account.created"]]);
      await links.put(account, "recover-password", gone.hash, Date.now() + 1000);
      await credentials.changePassword(account, change(), [entry], condition);
      expect(await credentials.passwordOf(account)).toBe("a new hash");
      await expect(credentials.changePassword(account, change(), [], condition)).rejects.toBe(refused);
    });
  });

  describe("a mailed link", () => {
    const hash = () => crypto.getRandomValues(new Uint8Array(32));

    test("is good for its purpose until its end, names its address, and replaces the one before of its account", async () => {
      const links = new MailLinks(testStore.storage);
      const [account, other] = [await added(), await added()];
      const [before, after, verifying, others] = [hash(), hash(), hash(), hash()];
      await links.put(account, "recover-password", before, 2000);
      await links.put(account, "verify-address", verifying, 2000);
      await links.put(other, "recover-password", others, 2000);
      expect(await links.find("recover-password", before, 1999)).toBeDefined();
      await links.put(account, "recover-password", after, 2000);
      const found = { hash: after, accountId: account.id, email: account.email };
      expect(await links.find("recover-password", after, 1999)).toEqual(found);
      expect(await links.find("verify-address", verifying, 1999)).toBeDefined();
      expect(await links.find("recover-password", others, 1999)).toBeDefined();
      expect(await links.find("recover-password", after, 2000)).toBeUndefined();
      for (const secret of [before, verifying, hash()]) {
        expect(await links.find("recover-password", secret, 1999)).toBeUndefined();
      }
    });

    test("verifies no address that the account has given up since", async () => {
      const links = new MailLinks(testStore.storage);
      const account = await added();
      const link = { hash: hash(), accountId: account.id, email: account.email };
      const entry = { ...TEST_SOURCE, account: account.number, action: "settings.changed" } as const;
      await credentials.change(account, { email: `new-${account.email}` }, entry);
      await testStore.storage.atomically([links.verifying(link)]);
      expect((await testStore.store.accounts.findById(account.id))?.emailVerified).toBe(false);
    });
  });

  test("a kept secret is made once, by whichever node asks first, and is the same for all", async () => {
    const other = await testStore.another();
    let made = 0;
    const ask = (store: typeof testStore.store) => store.keptSecret("signing", () => `secret ${++made}`);
    const given = await Promise.all([testStore.store, other.store, testStore.store, other.store].map(ask));
    expect(new Set(given).size).toBe(1);
    expect(await ask(other.store)).toBe(given[0] ?? "");
    expect(await testStore.store.keptSecret("another", () => "its own")).toBe("its own");
    await other.store.close();
  });
});

test("on PostgreSQL an address that is taken is told from other errors, whatever the language of the database's messages", async () => {
  const { storage, end } = await openTestStore("postgres");
  await sql`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'llave duplicada viola restricción de unicidad' USING ERRCODE = 'unique_violation';
    END $$`.execute(storage.db);
  await sql`CREATE TRIGGER refused BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION refuse()`.execute(
    storage.db,
  );
  const adding = new Credentials(storage).add({ email: "a@example.test", name: "", password: "" }, created);
  await expect(adding).rejects.toMatchObject({ code: "account-exists" });
  await end();
});
