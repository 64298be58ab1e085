import { expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import { auditedActions, removal, TEST_SOURCE } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { newPlant, newPlants } from "#test/support/plant-lists.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { DATABASE_NOW } from "./engine.ts";

const outcomeOf = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof Failure ? error.code : error));

/** The columns that say whose a row is; an endpoint of a webhook has the id of its account here. */
const owned = ({ account: number, id }: Person) => ({ account: number, user_id: id, endpoint: id });

/** A value of the account for a column of that type. */
function sampleOf({ account: number, id }: Person, type: string): unknown {
  if (/int/i.test(type)) return number;
  if (/text|char/i.test(type)) return id;
  return /bool/.test(type) ? true : /time/.test(type) ? new Date() : Buffer.from(id);
}

describeRecords("accounts on %s", (testRecords, engine) => {
  const actions = ({ account: number }: Person) => auditedActions(testRecords, number);

  /** The tables of accounts' rows, other than the search index, which is filled behind the creates. */
  async function tablesOfAccounts() {
    const { db } = testRecords.storage;
    if (!(db instanceof Kysely)) throw new Error("the queries are not Kysely's");
    const names = Object.keys(owned({} as Person));
    const tables = (await db.introspection.getTables()).filter(({ name }) => !/^(?:plant_search|requests_)/.test(name));
    return tables.filter(({ columns }) => columns.some(({ name }) => names.includes(name)));
  }

  /** Writes a row of the account into every table that has any, with a value in each column that must have one. */
  async function fill(account: Person): Promise<void> {
    const { storage, records } = testRecords;
    await records.plants.createMany(account.account, newPlants(2));
    await records.plants.change(account.account, 1n, { name: "changed" }, () => undefined);
    const request = { requestId: account.id, at: Date.now(), method: "GET", path: "/", status: 400, ms: 1 };
    await records.requests.add([{ ...request, account: account.account }]);
    const own: Readonly<Record<string, unknown>> = { ...owned(account), role: "owner" };
    for (const { name, columns } of await tablesOfAccounts()) {
      if (["plants", "plant_events", "plant_counts", "requests"].includes(name)) continue;
      const required = columns.filter(
        (column) => column.name in own || column.name === "id" || !(column.isNullable || column.hasDefaultValue),
      );
      const values = required.map((column) => own[column.name] ?? sampleOf(account, column.dataType));
      const list = sql.join(required.map((column) => sql.ref(column.name)));
      await sql`INSERT INTO ${sql.table(name)} (${list}) VALUES (${sql.join(values)})`.execute(storage.db);
    }
  }

  /** The tables in which the account has rows. */
  async function tablesWith(account: Person): Promise<string[]> {
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

  test("that are removed leave no row in any table but the entry of their removal", async () => {
    const [account, other] = [await testRecords.holder(), await testRecords.holder()];
    for (const each of [account, other]) await fill(each);
    const filled = await tablesWith(account);
    expect(filled).toEqual((await tablesOfAccounts()).map(({ name }) => name));
    await testRecords.records.people.remove(account, TEST_SOURCE);
    expect(await tablesWith(account)).toEqual(["audit_entries"]);
    const { found } = await testRecords.reads.audit.list(account.account, { limit: 10 });
    expect(found).toMatchObject([{ action: "account.deleted", detail: { email: account.email } }]);
    expect(await testRecords.records.people.find({ id: account.id })).toBeUndefined();
    expect(await tablesWith(other)).toEqual(filled);
  });

  test("that two nodes remove at once are removed once, with one entry", async () => {
    const account = await testRecords.holder();
    await testRecords.records.plants.createMany(account.account, newPlants(1));
    const node = await testRecords.another();
    await Promise.all(
      [testRecords.records, node.records, testRecords.records].map(({ people }) => people.remove(account, TEST_SOURCE)),
    );
    expect(await actions(account)).toEqual(["account.deleted"]);
    expect(await testRecords.records.plants.count(account.account)).toBe(0);
    await node.records.close();
  });

  test("get numbers in the order in which they are made, and never one that an account had before", async () => {
    const first = await testRecords.holder();
    await testRecords.records.people.remove(first, TEST_SOURCE);
    const [second, third] = [await testRecords.holder(), await testRecords.holder()];
    expect(second.account).toBeGreaterThan(first.account);
    const listed = (await testRecords.reads.accounts.list()).map(({ number }) => number);
    expect(listed.slice(-2)).toEqual([second.account, third.account]);
    expect(listed).toEqual(listed.toSorted((a, b) => a - b));
  });

  test("that were removed are noted by the database's clock, and swept until no node can write for them", async () => {
    const account = await testRecords.holder();
    const { db } = testRecords.storage;
    const before = Date.now();
    await testRecords.records.people.remove(account, TEST_SOURCE);
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
      await testRecords.records.accounts.remove(removal(account), TEST_SOURCE);
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
    await records.accounts.remove(removal(removed), TEST_SOURCE);
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
    await records.accounts.remove(removal(account), TEST_SOURCE);
    // On a busy machine all of them may have been written before the removal.
    const late = outcomeOf(records.plants.create(account, newPlant(600)));
    expect(new Set(await Promise.all([...creates, late]))).toEqual(new Set(["created", "token-refused"]));
    await sweep();
    expect([await keptPlants(account), await records.plants.count(account)]).toEqual([0, 0]);
  });
});
