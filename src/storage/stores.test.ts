import { expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import { auditedActions, personCaller, TEST_SOURCE } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { addMember } from "#test/support/members.ts";
import { newPlant, newPlants } from "#test/support/plant-lists.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { addAccount, type Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { DATABASE_NOW } from "./engine.ts";

const outcomeOf = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof Failure ? error.code : error));

/** The columns that say whose a row is; an endpoint of a webhook has the id of a person here. */
const owned = ({ account, id }: Holder) => ({ account, store: account, person: id, endpoint: id });

/** A value of the account for a column of that type. */
function sampleOf({ account: number, id }: Holder, type: string): unknown {
  if (/int/i.test(type)) return number;
  if (/text|char/i.test(type)) return id;
  return /bool/.test(type) ? true : Buffer.from(id);
}

describeRecords("stores on %s", (testRecords, engine) => {
  const actions = ({ account: number }: Holder) => auditedActions(testRecords, number);

  /** The tables with rows of stores and people, other than the search index, which is filled behind the creates. */
  async function tablesOfAccounts() {
    const { db } = testRecords.storage;
    if (!(db instanceof Kysely)) throw new Error("the queries are not Kysely's");
    const names = Object.keys(owned({} as Holder));
    const tables = (await db.introspection.getTables()).filter(({ name }) => !/^(?:plant_search|requests_)/.test(name));
    return tables.filter(({ columns }) => columns.some(({ name }) => names.includes(name)));
  }

  /** Writes a row of the account into every table that has any, with a value in each column that must have one. */
  async function fill(account: Holder): Promise<void> {
    const { storage, records } = testRecords;
    await records.plants.createMany(account.account, newPlants(2));
    await records.plants.change(account.account, 1n, { name: "changed" }, () => undefined);
    const request = { requestId: account.id, at: Date.now(), method: "GET", path: "/", status: 400, ms: 1 };
    await records.requests.add([{ ...request, account: account.account }]);
    const own: Readonly<Record<string, unknown>> = { ...owned(account), role: "owner" };
    for (const { name, columns } of await tablesOfAccounts()) {
      if (["plants", "plant_events", "plant_counts", "requests", "members"].includes(name)) continue;
      const required = columns.filter(
        (column) =>
          (column.name in own && !(name === "audit_entries" && column.name === "person")) ||
          column.name === "id" ||
          !(column.isNullable || column.hasDefaultValue),
      );
      const values = required.map((column) => own[column.name] ?? sampleOf(account, column.dataType));
      const list = sql.join(required.map((column) => sql.ref(column.name)));
      await sql`INSERT INTO ${sql.table(name)} (${list}) VALUES (${sql.join(values)})`.execute(storage.db);
    }
  }

  /** The tables in which the account has rows. */
  async function tablesWith(account: Holder): Promise<string[]> {
    const own: Readonly<Record<string, unknown>> = owned(account);
    const found: string[] = [];
    for (const { name, columns } of await tablesOfAccounts()) {
      const column = columns.find((each) => each.name in own)?.name ?? "";
      const row = sql`SELECT 1 FROM ${sql.table(name)} WHERE ${sql.ref(column)} = ${own[column]} LIMIT 1`;
      if ((await row.execute(testRecords.storage.db)).rows.length > 0) found.push(name);
    }
    return found;
  }

  async function keptPlants(account: AccountNumber): Promise<number> {
    const query = testRecords.storage.db.selectFrom("plants").select((row) => row.fn.countAll().as("rows"));
    return Number((await query.where("account", "=", account).executeTakeFirstOrThrow()).rows);
  }

  async function sweep(now = Date.now()): Promise<void> {
    const job = testRecords.storage.jobs.find(({ name }) => name === "removed-accounts");
    await job?.run({ now, signal: new AbortController().signal });
  }

  test("that go with their person leave no row in any table but the entries of what was done, for the operator", async () => {
    const [account, other] = [await testRecords.holder(), await testRecords.holder()];
    for (const each of [account, other]) await fill(each);
    const filled = await tablesWith(account);
    expect(filled).toEqual((await tablesOfAccounts()).map(({ name }) => name));
    await testRecords.records.people.remove(account, undefined, TEST_SOURCE);
    expect(await tablesWith(account)).toEqual(["audit_entries"]);
    const { found } = await testRecords.reads.audit.list(account.account, { limit: 10, action: "account" });
    expect(found[0]).toMatchObject({ action: "account.deleted", detail: { name: account.name } });
    const own = await testRecords.reads.audit.list(account.id, { limit: 10 });
    expect(own.found).toMatchObject([{ action: "account.deleted", detail: { email: account.email } }]);
    expect(await testRecords.records.people.find({ id: account.id })).toBeUndefined();
    expect(await tablesWith(other)).toEqual(filled);
  });

  test("that two nodes remove at once are removed once, with one entry", async () => {
    const account = await testRecords.holder();
    await testRecords.records.plants.createMany(account.account, newPlants(1));
    const node = await testRecords.another();
    await Promise.all(
      [testRecords.records, node.records, testRecords.records].map(({ people }) =>
        people.remove(account, undefined, TEST_SOURCE),
      ),
    );
    expect(await actions(account)).toEqual(["account.deleted"]);
    expect(await testRecords.records.plants.count(account.account)).toBe(0);
    await node.records.close();
  });

  test("get numbers in the order in which they are made, and never one that an account had before", async () => {
    const first = await testRecords.holder();
    await testRecords.records.people.remove(first, undefined, TEST_SOURCE);
    const [second, third] = [await testRecords.holder(), await testRecords.holder()];
    expect(second.account).toBeGreaterThan(first.account);
    const listed = (await testRecords.reads.stores.list()).map(({ number }) => number);
    expect(listed.slice(-2)).toEqual([second.account, third.account]);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  });

  test("that were removed are noted by the database's clock, and swept until no node can write for them", async () => {
    const account = await testRecords.holder();
    const { db } = testRecords.storage;
    const before = Date.now();
    await testRecords.records.people.remove(account, undefined, TEST_SOURCE);
    const noted = () =>
      db.selectFrom("removed_accounts").selectAll().where("number", "=", account.account).executeTakeFirst();
    const { rows } = await sql<{ now: number }>`SELECT ${DATABASE_NOW[engine]} AS now`.execute(db);
    expect((await noted())?.removed_at).toBeWithin(before - 1, Number(rows[0]?.now) + 1);
    const note = (ms: number) =>
      db
        .updateTable("removed_accounts")
        .set({ removed_at: sql`${DATABASE_NOW[engine]} + ${sql.lit(ms)}` })
        .execute();
    // By a node whose clock is ahead, and after the database's was.
    await sweep(Date.now() + 60_000);
    expect(await noted()).toBeDefined();
    await note(3_600_000);
    await sweep(Date.now());
    expect((await noted())?.removed_at).toBeLessThanOrEqual(Date.now() + 1);
    await note(-60_000);
    // A transaction of the database's own, such as a vacuum, is waited for as well.
    await eventually("the account is forgotten", async () => {
      await sweep(Date.now());
      return (await noted()) === undefined;
    });
  });

  /** Others are SQLite's only while they write, so that none is open beside a removal. */
  if (engine === "postgres")
    test("that were removed are swept as long as a transaction is open that began before no node wrote for them", async () => {
      const account = await testRecords.account();
      await testRecords.records.stores.remove(account, TEST_SOURCE);
      const { db } = testRecords.storage;
      const isNoted = async () =>
        (await db.selectFrom("removed_accounts").select("number").where("number", "=", account).execute()).length > 0;
      const open = new pg.Client(testRecords.url);
      await open.connect();
      await open.query("BEGIN");
      const { rows } = await open.query("SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS began");
      const settledAt = rows[0].began + 50;
      await db
        .updateTable("removed_accounts")
        .set({ removed_at: settledAt - 10_000 })
        .execute();
      await eventually("the removal is settled", () => Date.now() > settledAt + 1);
      await sweep();
      expect(await isNoted()).toBe(true);
      await open.query("COMMIT");
      await open.end();
      await eventually("the account is forgotten", async () => {
        await sweep();
        return !(await isNoted());
      });
    });

  test("that were removed get no plant by a create or a bulk create, and neighbours in the batch get theirs", async () => {
    const { records } = testRecords;
    const [removed, other] = [await testRecords.account(), await testRecords.account()];
    await records.stores.remove(removed, TEST_SOURCE);
    const first = newPlant(0);
    const outcomes = await Promise.all([
      outcomeOf(records.plants.create(other, first)),
      outcomeOf(records.plants.create(removed, first)),
      outcomeOf(records.plants.createMany(removed, newPlants(20))),
      outcomeOf(records.plants.createMany(other, newPlants(2))),
    ]);
    expect(outcomes).toEqual(["created", "token-refused", "token-refused", ["unchanged", "created"]]);
    expect([await keptPlants(removed), await keptPlants(other)]).toEqual([0, 2]);
  });

  test("that are removed while creates are under way keep none of them", async () => {
    const { records } = testRecords;
    const account = await testRecords.account();
    const creates = newPlants(600).map(async (plant, index) => {
      await Bun.sleep(index / 10);
      return outcomeOf(records.plants.create(account, plant));
    });
    await Promise.race(creates);
    await records.stores.remove(account, TEST_SOURCE);
    // On a busy machine all of them may have been written before the removal.
    const late = outcomeOf(records.plants.create(account, newPlant(600)));
    expect(new Set(await Promise.all([...creates, late]))).toEqual(new Set(["created", "token-refused"]));
    await sweep();
    expect([await keptPlants(account), await records.plants.count(account)]).toEqual([0, 0]);
  });

  const storesOf = (person: Pick<Holder, "id">) => testRecords.records.members.storesOf(person);
  let people = 0;
  const holder = () => addAccount(testRecords.storage, `s${++people}@example.test`);

  test("are made by who owns one, in any, and by who belongs to none where they may make the first", async () => {
    const { stores } = testRecords.records;
    const [owner, viewer] = [await addMember(testRecords.storage), await addMember(testRecords.storage)];
    const add = ({ person, caller }: typeof owner, mayBeFirst: boolean) =>
      refusalOf(
        stores.add(person, { name: "Further", isTest: true }, mayBeFirst, personCaller(person, caller.actor.id)),
      );
    expect(await add(owner, false)).toBeUndefined();
    const [, made] = await storesOf(owner.person);
    expect(made).toMatchObject({ name: "Further", role: "owner", isTest: true });
    expect(await auditedActions(testRecords, made?.account ?? 0)).toEqual(["store.created"]);
    await stores.remove(viewer.person.account, TEST_SOURCE);
    expect(await add(viewer, false)).toBe("resource-unknown");
    const joined = { store: owner.person.account, person: viewer.person.id, role: "viewer", source: "hand" } as const;
    await testRecords.storage.db
      .insertInto("members")
      .values({ ...joined, joined_at: 0 })
      .execute();
    for (const mayBeFirst of [false, true]) expect(await add(viewer, mayBeFirst)).toBe("role-refused");
    await testRecords.storage.db.deleteFrom("members").where("person", "=", viewer.person.id).execute();
    expect(await add(viewer, true)).toBeUndefined();
  });

  test("are at most 20 of one person, also if they are made at once on two nodes", async () => {
    const node = await testRecords.another();
    const { person, caller } = await addMember(testRecords.storage);
    const outcomes = await Promise.all(
      Array.from({ length: 22 }, (_, at) =>
        refusalOf(
          (at % 2 ? testRecords : node).records.stores.add(person, { name: `S${at}`, isTest: false }, false, caller),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(19);
    expect(new Set(outcomes)).toEqual(new Set([undefined, "account-limit"]));
    expect(await storesOf(person)).toHaveLength(20);
    await node.records.close();
  });

  test("that are removed leave their people a sign-in and their other stores", async () => {
    const { records } = testRecords;
    const owner = await addMember(testRecords.storage);
    const other = await addMember(testRecords.storage, owner.person.account, "editor");
    await records.plants.createMany(owner.person.account, newPlants(2));
    await records.stores.remove(owner.person.account, owner.caller);
    await records.stores.remove(owner.person.account, owner.caller);
    expect(await records.plants.count(owner.person.account)).toBe(0);
    expect(await records.people.find({ id: owner.person.id })).toBeDefined();
    expect(await storesOf(owner.person)).toEqual([]);
    expect(await storesOf(other.person)).toMatchObject([{ id: other.person.storeId }]);
    expect(await actions(owner.person)).toEqual(["account.deleted", "store.created"]);
  });

  test("are changed, emptied and removed by owners alone, and by none who was one a moment ago", async () => {
    const { stores } = testRecords.records;
    const owner = await addMember(testRecords.storage);
    const { caller } = await addMember(testRecords.storage, owner.person.account, "developer");
    for (const act of [
      () => stores.change(caller, { name: "Mine" }),
      () => stores.empty(caller),
      () => stores.remove(caller.account, caller),
    ]) {
      expect(await refusalOf(act())).toBe("role-refused");
    }
    expect(await stores.find({ number: caller.account })).toMatchObject({ name: owner.person.name });
  });

  test("ask all for a second factor by who has one alone, and then refuse who has none, but that they leave", async () => {
    const { records, storage } = testRecords;
    const owner = await addMember(testRecords.storage);
    const { person, caller } = await addMember(testRecords.storage, owner.person.account, "developer");
    const rule = () => refusalOf(records.stores.change(owner.caller, { needsSecondFactor: true }));
    expect(await rule()).toBe("second-factor-missing");
    await storage.db.updateTable("people").set({ second_factor: "s" }).where("id", "=", owner.person.id).execute();
    expect(await rule()).toBeUndefined();
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    expect(await refusalOf(records.tokens.add(caller, token, "a secret"))).toBe("second-factor-missing");
    expect(await refusalOf(records.members.leave(caller, person.id))).toBeUndefined();
  });

  test("keep a change that is none out of their log", async () => {
    const { person, caller } = await addMember(testRecords.storage);
    const change = { name: "Nursery", needsSecondFactor: false };
    for (const given of [change, change, {}, { name: "Nursery" }])
      await testRecords.records.stores.change(caller, given);
    const { found } = await testRecords.reads.audit.list(person.account, { limit: 10, action: "settings" });
    expect(found.map(({ detail }) => detail)).toEqual([{ store_name: "Nursery", second_factor_required: false }]);
  });

  test("for trying things out are emptied of the plants that they have, each with its event, and no others are", async () => {
    const { records, storage } = testRecords;
    const { person, caller } = await addMember(testRecords.storage);
    expect(await refusalOf(records.stores.empty(caller))).toBe("address-unknown");
    const id = await records.stores.add(person, { name: "Trial", isTest: true }, false, caller);
    const account = (await records.stores.find({ id }))?.number ?? 0;
    await records.plants.createMany(account, newPlants(120));
    await records.stores.empty({ ...caller, account });
    await eventually("it is empty", async () => (await records.stores.emptying(account)) === undefined);
    expect(await records.plants.count(account)).toBe(0);
    expect(await auditedActions(testRecords, account)).toEqual(["store.emptied", "store.created"]);
    const kinds = sql<{ kind: number; count: number }>`
      SELECT kind, count(*) AS count FROM plant_events WHERE account = ${account} GROUP BY kind ORDER BY kind`;
    const { rows } = await kinds.execute(storage.db as never);
    expect(rows.map(({ kind, count }) => [kind, Number(count)])).toEqual([
      [0, 120],
      [2, 120],
    ]);
  });

  test("that a process which ended left half empty are emptied by the sweep, and later plants stay", async () => {
    const { records, storage } = testRecords;
    const { account } = await holder();
    const plants = newPlants(70);
    await records.plants.createMany(account, plants.slice(0, 60));
    const last = sql<bigint>`(SELECT max(number) FROM plants WHERE account = ${account})`;
    await storage.db.updateTable("stores").set({ emptied_to: last }).where("number", "=", account).execute();
    await records.plants.createMany(account, plants.slice(60));
    const job = storage.jobs.find(({ name }) => name === "emptied-stores");
    await job?.run({ now: Date.now(), signal: new AbortController().signal });
    expect(await records.plants.count(account)).toBe(10);
    const mark = storage.db.selectFrom("stores").select("emptied_to").where("number", "=", account);
    await eventually("the mark is gone", async () => (await mark.executeTakeFirst())?.emptied_to === null);
  });
});
