import { expect, test } from "bun:test";
import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { Membership } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { Role } from "#core/role.ts";
import { auditedActions, sessionCaller, TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { addAccount } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { Credentials } from "./sign-in/credentials.ts";
import { SessionRows } from "./sign-in/sessions.ts";
import type { Storage } from "./storage.ts";

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );

let people = 0;

describeRecords("people of stores on %s", (opened, engine) => {
  const person = () => addAccount(opened.storage, `p${++people}@example.test`);

  async function join(store: Person, member: Person, role: Role): Promise<void> {
    const row = { account: store.account, user_id: member.id, role, source: "hand", created_at: Date.now() } as const;
    await opened.storage.db.insertInto("members").values(row).execute();
  }

  async function session(of: Person, token = crypto.randomUUID(), epoch = 0): Promise<string> {
    const browser = { userAgent: "", address: "", expiresAt: Date.now() + 60_000, remembered: true };
    const id = crypto.randomUUID();
    const opening = { ...browser, id, token, secret: token, person: of, epoch };
    await new SessionRows(opened.storage).add(opening, { ...sessionCaller(of, id), action: "sign_in.succeeded" });
    return id;
  }

  const storeOf = async (of: Pick<Person, "id">, storeId: string): Promise<Membership> => {
    const store = (await opened.records.members.storesOf(of)).find(({ id }) => id === storeId);
    if (!store) throw new Error("no such store");
    return store;
  };

  async function leave(who: Person, store: Person, sessionId: string, { records }: Pick<Storage, "records"> = opened) {
    return records.members.leave({ ...sessionCaller(who, sessionId), account: store.account }, who.id);
  }

  /** The tables, but that of members, in which a column `user_id` has the id. */
  async function tablesOf(id: string): Promise<string[]> {
    const names =
      engine === "sqlite"
        ? sql<{ name: string }>`
            SELECT m.name AS name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE c.name = 'user_id'`
        : sql<{ name: string }>`
            SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'user_id' AND table_schema = 'public'`;
    const tables = (await names.execute(opened.storage.db as never)).rows.map(({ name }) => name);
    const found: string[] = [];
    for (const name of tables.filter((name) => name !== "members").sort()) {
      const rows = sql`SELECT 1 FROM ${sql.table(name)} WHERE user_id = ${id}`;
      if ((await rows.execute(opened.storage.db as never)).rows.length > 0) found.push(name);
    }
    return found;
  }

  /** A row in each table of sign-in beside those that a sign-up and a session make. */
  async function credentialsOf({ id, email }: Person): Promise<void> {
    const { db } = opened.storage;
    const hash = crypto.getRandomValues(new Uint8Array(32));
    const [own, expires_at] = [{ id: crypto.randomUUID(), user_id: id }, Date.now() + 60_000];
    await db
      .insertInto("second_factors")
      .values({ ...own, secret: "s", backup_codes: "b", verified: true })
      .execute();
    const key = { public_key: "k", credential_id: own.id, device_type: "d", backed_up: false, counter: 0 };
    const more = { name: "n", transports: null, aaguid: null, created_at: new Date() };
    await db
      .insertInto("passkeys")
      .values({ ...own, ...key, ...more })
      .execute();
    const used = { created_at: 0, last_used_at: 0, expires_at };
    await db
      .insertInto("trusted_devices")
      .values({ ...own, hash, user_agent: "", address: "", ...used })
      .execute();
    const link = { hash, purpose: "recover-password", user_id: id, email, expires_at };
    await db.insertInto("mail_links").values(link).execute();
  }

  test("the first person leaves with all that they sign in by, and the store keeps all that it has", async () => {
    const { storage, records, reads } = opened;
    const [first, second, elsewhere] = [await person(), await person(), await person()];
    await join(first, second, "owner");
    await join(elsewhere, first, "developer");
    await credentialsOf(first);
    await records.plants.createMany(first.account, newPlants(3));
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    const cookie = crypto.randomUUID();
    const sessionId = await session(first, cookie);
    const caller = sessionCaller(first, sessionId);
    await records.tokens.add(caller, token, "a");
    const signedIn = await tablesOf(first.id);
    const hash = await new Credentials(storage).passwordOf(first);

    const id = await leave(first, first, sessionId);

    expect(signedIn).toEqual(await tablesOf(id));
    expect(signedIn).toHaveLength(6);
    expect(await tablesOf(first.id)).toEqual([]);
    const found = await new SessionRows(storage).find(cookie, cookie);
    expect(found).toMatchObject({ session: { id: sessionId }, person: { id, email: first.email, name: first.name } });
    expect(await new Credentials(storage).passwordOf({ id })).toBe(hash);
    expect(await new Credentials(storage).epochOf(first.id)).toBe(1);
    expect(await records.members.storesOf({ id })).toMatchObject([{ id: elsewhere.id, role: "developer" }]);
    expect(await records.members.storesOf(first)).toEqual([]);
    const email = `store-${first.account}@detached.invalid`;
    expect(await records.people.find({ account: first.account })).toMatchObject({ id: first.id, email });
    expect(await storeOf(second, first.id)).toMatchObject({ account: first.account, name: first.name, role: "owner" });
    expect(await records.plants.count(first.account)).toBe(3);
    const secrets = [new Bun.CryptoHasher("sha256").update("a").digest()];
    const tokens = [...(await records.tokens.findByHash(secrets)).values()];
    expect(tokens.map(({ account, madeBy }) => [account, madeBy])).toEqual([[first.account, id]]);
    const log = (await reads.audit.list(first.account, { limit: 10 })).found;
    expect(log[0]).toMatchObject({ action: "member.left", actor: { name: first.email }, target: first.id });
    expect(log.map(({ action }) => action)).toContain("sign_in.succeeded");

    // Then the person is removed: the store stays, and the address can be used anew.
    const detached = await records.people.find({ id });
    if (!detached) throw new Error("no person");
    await records.people.remove(detached, TEST_SOURCE);
    expect(await records.people.find({ email: first.email })).toBeUndefined();
    expect(await records.plants.count(first.account)).toBe(3);
    expect(await addAccount(storage, first.email)).toMatchObject({ email: first.email });
  });

  test("of the last two owners who leave at once, on two nodes, one stays, in each of 40 rounds", async () => {
    const node = await opened.another();
    for (let round = 0; round < 40; round++) {
      const [first, second] = [await person(), await person()];
      await join(first, second, "owner");
      const [one, two] = [await session(first), await session(second)];
      const outcomes = await Promise.all([refusal(leave(first, first, one)), refusal(leave(second, first, two, node))]);
      expect(outcomes.sort()).toEqual(["done", "last-owner"]);
      const owners = await opened.storage.db
        .selectFrom("members")
        .select("role")
        .where("account", "=", first.account)
        .where("role", "=", "owner")
        .execute();
      const isFirstLeft = (await opened.records.members.storesOf(first)).every(({ id }) => id !== first.id);
      expect(owners.length).toBe(isFirstLeft ? 1 : 0);
    }
    await node.records.close();
  }, 120_000);

  test("somebody who is no owner leaves, and is refused a second time", async () => {
    const [first, second] = [await person(), await person()];
    await join(first, second, "viewer");
    const sessionId = await session(second);
    expect(await leave(second, first, sessionId)).toBe(second.id);
    expect(await refusal(leave(second, first, sessionId))).toBe("resource-unknown");
    expect((await opened.records.members.storesOf(second)).map(({ id }) => id)).toEqual([second.id]);
    expect(await auditedActions(opened, first.account)).toEqual(["member.left", "account.created"]);
  });

  test("who made a store is removed by another owner like anybody else, and keeps their sign-in", async () => {
    const { records } = opened;
    const [first, second] = [await person(), await person()];
    await join(first, second, "owner");
    const cookie = crypto.randomUUID();
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    const made = await records.tokens.add(sessionCaller(first, await session(first, cookie)), token, cookie);
    const caller = { ...sessionCaller(second, await session(second)), account: first.account };
    await records.members.remove(caller, first.id, true);
    expect((await records.tokens.find(first.account, made.id))?.revokedAt).toBeDefined();
    const kept = await new SessionRows(opened.storage).find(cookie, cookie);
    expect(kept?.person).toMatchObject({ email: first.email });
    expect(await records.members.storesOf(kept?.person ?? first)).toEqual([]);
    expect((await records.members.list(first.account)).map(({ id }) => id)).toEqual([second.id]);
    const [entry] = (await opened.reads.audit.list(first.account, { limit: 1 })).found;
    expect(entry).toMatchObject({ action: "member.removed", detail: { email: first.email, tokens_revoked: true } });
  });

  test("a person is removed with the stores of theirs alone, and the others stay with their owners", async () => {
    const { records } = opened;
    const [going, other] = [await person(), await person()];
    const test = await records.accounts.add(going, { name: "Trial", isTest: true }, testCaller(going.account));
    await join(going, other, "owner");
    await join(other, going, "editor");
    expect(await records.people.fates(going)).toMatchObject({
      going: [{ id: test, name: "Trial", isTest: true }],
      staying: [{ id: going.id }, { id: other.id }],
      ownerless: [],
    });
    await records.plants.createMany(going.account, newPlants(2));
    await records.people.remove(going, TEST_SOURCE);
    expect(await records.people.find({ email: going.email })).toBeUndefined();
    expect(await records.people.find({ id: test })).toBeUndefined();
    expect(await records.members.storesOf(other)).toMatchObject([{ id: other.id }, { id: going.id, role: "owner" }]);
    expect(await records.plants.count(going.account)).toBe(2);
    expect((await auditedActions(opened, going.account))[0]).toBe("member.left");
    expect((await auditedActions(opened, other.account))[0]).toBe("member.left");
  });

  test("a person whose store others need is not removed until one of them is an owner", async () => {
    const [only, editor] = [await person(), await person()];
    await join(only, editor, "editor");
    const removing = opened.records.people.remove(only, TEST_SOURCE);
    await expect(removing).rejects.toThrow(`${only.name} would have no owner: make somebody else an owner first`);
    await opened.storage.db.updateTable("members").set({ role: "owner" }).where("user_id", "=", editor.id).execute();
    await opened.records.people.remove(only, TEST_SOURCE);
    expect(await opened.records.members.storesOf(editor)).toMatchObject([{ id: editor.id }, { id: only.id }]);
  });

  test("a person who has left the store that they made, or was removed, is not removed again with it", async () => {
    const { records } = opened;
    for (const end of ["leave", "remove", "remove at once"]) {
      const [gone, other] = [await person(), await person()];
      await join(gone, other, "owner");
      await records.plants.createMany(gone.account, newPlants(2));
      const sessionId = await session(gone);
      const removing = () => records.people.remove(gone, TEST_SOURCE);
      if (end === "leave") await leave(gone, gone, sessionId);
      await Promise.all(end === "remove at once" ? [removing(), removing()] : [removing()]);
      if (end === "remove") await removing();
      expect(await records.members.storesOf(other)).toMatchObject([{ id: other.id }, { id: gone.id, role: "owner" }]);
      expect(await records.plants.count(gone.account)).toBe(2);
    }
  });

  test("a password or an address that is changed while its person leaves the store that they made is not the store's", async () => {
    const [gone, other] = [await person(), await person()];
    await join(gone, other, "owner");
    const id = await leave(gone, gone, await session(gone));
    const credentials = new Credentials(opened.storage);
    expect(await refusal(credentials.changePassword(gone, { password: "new" }, []))).toBe("session-missing");
    const entry = { ...TEST_SOURCE, account: gone.account, action: "settings.changed" } as const;
    await credentials.change(gone, { email: "another@example.test" }, entry);
    expect(await opened.records.people.find({ email: "another@example.test" })).toBeUndefined();
    expect(await credentials.passwordOf(gone)).toBeUndefined();
    expect(await refusal(credentials.changePassword({ ...gone, id }, { password: "new" }, []))).toBe("done");
    expect(await credentials.passwordOf({ id })).toBe("new");
  });

  test("a sign-in under way of who leaves the store that they made opens no session of the store", async () => {
    const [gone, other] = [await person(), await person()];
    await join(gone, other, "owner");
    await leave(gone, gone, await session(gone));
    const epoch = (await new Credentials(opened.storage).epochOf(gone.id)) ?? 0;
    expect(await refusal(session(gone, undefined, epoch))).toBe("sign-in-refused");
  });

  test("a store is joined by nobody who leaves the one that they made meanwhile, since its id would join", async () => {
    const [gone, other, store] = [await person(), await person(), await person()];
    await join(gone, other, "owner");
    const id = await leave(gone, gone, await session(gone));
    const { members } = opened.records;
    expect(await refusal(members.add(testCaller(store.account), gone, "owner"))).toBe("session-missing");
    expect(await refusal(members.add(testCaller(store.account), { ...gone, id }, "owner"))).toBe("done");
    expect((await members.list(store.account)).map((member) => member.id)).toEqual([store.id, id]);
  });

  test("two owners who are removed at once, on two nodes, leave their store an owner or nobody", async () => {
    const node = await opened.another();
    for (let round = 0; round < 20; round++) {
      const [first, second, third] = [await person(), await person(), await person()];
      await join(first, second, "owner");
      await join(first, third, "viewer");
      const outcomes = await Promise.all([
        refusal(opened.records.people.remove(first, TEST_SOURCE)),
        refusal(node.records.people.remove(second, TEST_SOURCE)),
      ]);
      expect(outcomes.sort()).toEqual(["done", "last-owner"]);
    }
    await node.records.close();
  }, 120_000);

  test("a store is removed with what it has, and its people keep their sign-in", async () => {
    const { records } = opened;
    const [first, second] = [await person(), await person()];
    await join(first, second, "owner");
    await records.plants.createMany(first.account, newPlants(2));
    const cookie = crypto.randomUUID();
    const sessionId = await session(first, cookie);
    await records.accounts.remove({ number: first.account }, sessionCaller(first, sessionId));
    expect(await records.people.find({ id: first.id })).toBeUndefined();
    expect(await records.plants.count(first.account)).toBe(0);
    const kept = await new SessionRows(opened.storage).find(cookie, cookie);
    expect(kept?.person.email).toBe(first.email);
    expect(await records.members.storesOf(kept?.person ?? first)).toEqual([]);
    expect(await records.members.storesOf(second)).toMatchObject([{ id: second.id }]);
    expect((await auditedActions(opened, first.account))[0]).toBe("account.deleted");
  });

  test("a person makes as many stores as they may, also at once on two nodes, and no more", async () => {
    const node = await opened.another();
    const owner = await person();
    const caller = sessionCaller(owner, await session(owner));
    const outcomes = await Promise.all(
      Array.from({ length: 22 }, (_, at) =>
        refusal((at % 2 ? opened : node).records.accounts.add(owner, { name: `S${at}`, isTest: false }, caller)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(19);
    expect(new Set(outcomes)).toEqual(new Set(["done", "account-limit"]));
    const stores = await opened.records.members.storesOf(owner);
    expect(stores).toHaveLength(20);
    const made = stores[1] as Membership;
    expect(await auditedActions(opened, made.account)).toEqual(["store.created"]);
    const email = `store-${made.account}@detached.invalid`;
    expect(await opened.records.people.find({ id: made.id })).toMatchObject({ email, name: made.name });
    await node.records.close();
  });

  test("a test store is emptied of the plants that it has, each with its event, and any other store is not", async () => {
    const { records } = opened;
    const owner = await person();
    const caller = sessionCaller(owner, await session(owner));
    expect(await refusal(records.accounts.empty(caller))).toBe("address-unknown");
    const id = await records.accounts.add(owner, { name: "Trial", isTest: true }, caller);
    const { account } = await storeOf(owner, id);
    await records.plants.createMany(account, newPlants(120));
    await records.accounts.empty({ ...caller, account });
    await eventually("it is empty", async () => (await records.accounts.emptying(account)) === undefined);
    expect(await records.plants.count(account)).toBe(0);
    expect(await auditedActions(opened, account)).toEqual(["store.emptied", "store.created"]);
    const kinds = sql<{ kind: number; count: number }>`
      SELECT kind, count(*) AS count FROM plant_events WHERE account = ${account} GROUP BY kind ORDER BY kind`;
    const { rows } = await kinds.execute(opened.storage.db as never);
    expect(rows.map(({ kind, count }) => [kind, Number(count)])).toEqual([
      [0, 120],
      [2, 120],
    ]);
  });

  test("what a process that ended left of an emptied store is removed by the sweep, and later plants stay", async () => {
    const { records, storage } = opened;
    const owner = await person();
    const id = await records.accounts.add(owner, { name: "Trial", isTest: true }, testCaller(owner.account));
    const { account } = await storeOf(owner, id);
    const plants = newPlants(70);
    await records.plants.createMany(account, plants.slice(0, 60));
    const last = sql<bigint>`(SELECT max(number) FROM plants WHERE account = ${account})`;
    await storage.db.updateTable("accounts").set({ emptied_to: last }).where("number", "=", account).execute();
    await records.plants.createMany(account, plants.slice(60));
    const job = storage.jobs.find(({ name }) => name === "emptied-stores");
    await job?.run({ now: Date.now(), signal: new AbortController().signal });
    expect(await records.plants.count(account)).toBe(10);
    const mark = storage.db.selectFrom("accounts").select("emptied_to").where("number", "=", account);
    await eventually("the mark is gone", async () => (await mark.executeTakeFirst())?.emptied_to === null);
  });

  test("one member who does something as often as they may leaves the others theirs", async () => {
    const [first, second] = [await person(), await person()];
    await join(first, second, "developer");
    const [one, two] = [await session(first), await session(second)];
    const token = await opened.records.tokens.add(
      sessionCaller(first, one),
      { name: "0", scopes: ["plants:read"], expiresAt: undefined },
      crypto.randomUUID(),
    );
    const there = { ...sessionCaller(second, two), account: first.account };
    const renames = Array.from({ length: 121 }, (_, at) => opened.records.tokens.rename(there, token.id, `${at + 1}`));
    const outcomes = await Promise.all(renames.map(refusal));
    expect(outcomes.filter((outcome) => outcome === "rate-limited")).toHaveLength(1);
    expect((await opened.records.tokens.rename(sessionCaller(first, one), token.id, "Till"))?.name).toBe("Till");
  });

  test("what a store has already is no change, and leaves no entry", async () => {
    const owner = await person();
    const caller = sessionCaller(owner, await session(owner));
    const change = { name: "Nursery", needsSecondFactor: false };
    for (const given of [change, change, {}, { name: "Nursery" }]) await opened.records.accounts.change(caller, given);
    const { found } = await opened.reads.audit.list(owner.account, { limit: 10, action: "settings" });
    expect(found.map(({ detail }) => detail)).toEqual([{ store_name: "Nursery", second_factor_required: false }]);
  });

  test("with a rule for a second factor nothing is given to a session without one, whatever came before the unit", async () => {
    const { records, storage } = opened;
    const [first, second] = [await person(), await person()];
    await join(first, second, "developer");
    const make = async (secret: string) => {
      const caller = { ...sessionCaller(second, await session(second)), account: first.account };
      const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
      return refusal(records.tokens.add(caller, token, secret));
    };
    const ruled = (second_factor_required: boolean) =>
      storage.db.updateTable("accounts").set({ second_factor_required }).where("id", "=", first.id).execute();
    expect(await make(crypto.randomUUID())).toBe("done");
    await ruled(true);
    expect(await make(crypto.randomUUID())).toBe("second-factor-missing");
    await credentialsOf(second);
    expect(await make(crypto.randomUUID())).toBe("done");
    expect((await records.members.list(first.account)).find(({ id }) => id === second.id)?.hasSecondFactor).toBe(true);
  });
});
