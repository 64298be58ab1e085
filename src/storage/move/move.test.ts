import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import type { NewPlant } from "#core/plant.ts";
import { TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { readFeed } from "#test/support/feed.ts";
import { lastSchemaDatabase } from "#test/support/last-schema.ts";
import { exportAll, newPlant, newPlants } from "#test/support/plant-lists.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { addAccount } from "#test/support/test-account.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openStorage } from "../open.ts";
import type { Storage } from "../storage.ts";
import { type MoveOptions, move } from "./move.ts";

const opened: Storage[] = [];
afterEach(async () => {
  for (const { records } of opened.splice(0)) await records.close();
});

const newSqlite = () => `sqlite:${join(temporaryFolder(), "plantstore.db")}`;

async function open(url: string): Promise<Storage> {
  const storage = await openStorage(url);
  opened.push(storage);
  return storage;
}

/** Makes a database with an account of each list of plants, closes it and gives their numbers. */
async function filled(url: string, ...accounts: readonly (readonly NewPlant[])[]): Promise<number[]> {
  const storage = await openStorage(url);
  const numbers: number[] = [];
  for (const plants of accounts) {
    const account = await newAccount(storage);
    numbers.push(account);
    await storage.records.plants.createMany(account, plants);
  }
  await storage.records.close();
  return numbers;
}

async function newFilled(): Promise<string> {
  const url = newSqlite();
  await filled(url, [newPlant(1)]);
  return url;
}

const run = (from: string, to: string, more: Partial<MoveOptions> = {}) =>
  move({ from, to, replace: false, onProgress: () => {}, ...more });

const plantsOf = ({ reads }: Storage, account: number) => exportAll(reads.plants, account);

describe("a move", () => {
  test.each([
    ["SQLite", newSqlite],
    ["PostgreSQL", newPostgresDatabase],
  ])(
    "from %s to the same engine brings plants, their searches and the feed, and leaves the request log",
    async (_, make) => {
      const [from, to] = [await make(), await make()];
      const [account = 0] = await filled(from, [newPlant(1), newPlant(2)]);
      const source = await openStorage(from);
      const request = { account, requestId: "req_1", at: Date.now(), method: "GET", path: "/", status: 200, ms: 1 };
      await source.records.requests.add([request]);
      await source.records.close();
      await run(from, to);
      const target = await open(to);
      const { reads } = target;
      expect(await plantsOf(await open(to), account)).toEqual(await plantsOf(await open(from), account));
      const query = { order: "id", limit: 10, tag: undefined, q: "plant 2", after: undefined } as const;
      expect((await reads.plants.list(account, query)).plants.map(({ id }) => id)).toEqual([2n]);
      expect((await readFeed(target, account)).events).toHaveLength(2);
      expect((await reads.requests.list(account, { limit: 10 })).found).toEqual([]);
    },
  );

  test("between the engines brings who belongs to which store, invitations, test stores and who made a token", async () => {
    const [from, over, to] = [newSqlite(), await newPostgresDatabase(), newSqlite()];
    const source = await openStorage(from);
    const [first, second] = [await addAccount(source, "a@example.test"), await addAccount(source, "b@example.test")];
    const times = { created_at: 1, expires_at: 2 };
    const row = { store: first.account, person: second.id, role: "owner", source: "hand", joined_at: 1 } as const;
    await source.db.insertInto("members").values(row).execute();
    const invited = { id: "inv_1", email: "c@example.test", role: "viewer", mailed: true, made_by: second.id } as const;
    const hash = new Uint8Array(32).fill(7);
    await source.db
      .insertInto("invitations")
      .values({ ...invited, ...times, hash, account: first.account })
      .execute();
    const caller = { ...testCaller(first.account), person: first.id };
    const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
    await source.records.tokens.add(caller, token, "secret");
    await source.records.stores.add(second, { name: "Trial", isTest: true }, false, TEST_SOURCE);
    await source.records.members.leave(testCaller(first.account), first.id);
    const shown = async ({ records, reads, db }: Storage) => ({
      stores: await records.members.storesOf(second),
      none: await records.members.storesOf(first),
      person: await records.people.find({ email: "a@example.test" }),
      made: (await reads.tokens.list(first.account)).map(({ madeBy }) => madeBy),
      invitations: (await db.selectFrom("invitations").select(["id", "hash", "email"]).execute()).map((each) => ({
        ...each,
        hash: Buffer.from(each.hash).toString("hex"),
      })),
    });
    const before = await shown(source);
    expect(before).toMatchObject({ none: [], made: [first.id], invitations: [{ id: "inv_1" }] });
    expect(before.stores.map(({ isTest }) => isTest)).toEqual([false, false, true]);
    await source.records.close();
    await run(from, over);
    expect(await shown(await open(over))).toEqual(before);
    await run(over, to);
    expect(await shown(await open(to))).toEqual(before);
  });

  test("copies tables of more rows than are read at once, and tells how far it is up to all of them", async () => {
    const [from, to] = [newSqlite(), newSqlite()];
    const plants = newPlants(2500);
    const [account = 0] = await filled(from, plants);
    const told: [number, number][] = [];
    await run(from, to, { onProgress: (rows, total) => told.push([rows, total]) });
    const done = told.map(([rows]) => rows);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(told.at(-1)?.[0]).toBe(told.at(-1)?.[1] ?? 0);
    expect(told.length).toBeGreaterThan(6);
    const target = await open(to);
    expect(await target.records.plants.count(account)).toBe(2500);
    expect(await plantsOf(target, account)).toHaveLength(2500);
  });
});

describe("a move that must not be made", () => {
  test("is refused where the target holds anything, and takes nothing from it; --replace gives it up", async () => {
    const [from, to] = [newSqlite(), newSqlite()];
    await filled(from, [newPlant(1)]);
    const [theirs = 0] = await filled(to, [newPlant(7), newPlant(8)]);
    await expect(run(from, to)).rejects.toThrow(
      "The target is not empty (people: 1, stores: 1, plants: 2); --replace gives up all of it",
    );
    const before = await openStorage(to);
    expect(await before.records.plants.count(theirs)).toBe(2);
    await before.records.close();
    await run(from, to, { replace: true });
    const after = await open(to);
    expect((await after.reads.stores.list()).length).toBe(1);
  });

  test("is refused from the last schema, and brings a target that has it up to date", async () => {
    const [from, to] = [newSqlite(), newSqlite()];
    for (const url of [from, to]) await lastSchemaDatabase("sqlite", dirname(url.slice("sqlite:".length)));
    await expect(run(from, newSqlite())).rejects.toThrow("start `plantstore serve` on it first");
    await expect(run(await newFilled(), to)).rejects.toThrow(
      "The target is not empty (people: 6, stores: 5, plants: 2)",
    );
    await run(await newFilled(), to, { replace: true });
    expect(await (await open(to)).reads.stores.list()).toHaveLength(1);
  });

  test("is refused from a file that is not there, which it does not make, and onto itself", async () => {
    const [from, to] = [newSqlite(), newSqlite()];
    const path = from.slice("sqlite:".length);
    await expect(run(from, to)).rejects.toThrow(`There is no database file ${path}`);
    expect(await Bun.file(path).exists()).toBe(false);
    await expect(run(to, to)).rejects.toThrow("--from and --to are the same database");
  });

  test("is refused from a database that is out of reach, without its password", async () => {
    const from = "postgres://plantstore:hunter2hunter2@127.0.0.1:9/postgres";
    const error = await run(from, newSqlite()).catch((reason: Error) => reason);
    expect(String(error)).toContain("The database cannot be used: connect ECONNREFUSED");
    expect(String(error)).not.toContain("hunter2");
  });

  test("leaves the target as it was when the copy differs from what was copied", async () => {
    const [from, to] = [newSqlite(), newSqlite()];
    const [account = 0] = await filled(from, [newPlant(1), newPlant(2)]);
    await run(from, to);
    const file = new Database(to.slice("sqlite:".length));
    file.run(
      "CREATE TRIGGER altered AFTER INSERT ON plants BEGIN UPDATE plants SET name = 'x' WHERE number = NEW.number; END",
    );
    file.close();
    await expect(run(from, to, { replace: true })).rejects.toThrow(
      "The copy of plants differs from what was copied; nothing of it was kept",
    );
    expect((await plantsOf(await open(to), account)).map(({ name }) => name)).toEqual(["plant 1", "plant 2"]);
  });
});

test("while a file is moved nothing else is written to it", async () => {
  const [from, to] = [newSqlite(), newSqlite()];
  await filled(from, [newPlant(1)]);
  const writer = new Database(from.slice("sqlite:".length));
  const refusals: string[] = [];
  const onProgress = () => {
    try {
      writer.run("INSERT INTO kept_secrets VALUES ('a', 'b')");
    } catch (error) {
      refusals.push(String(error));
    }
  };
  await run(from, to, { onProgress });
  expect(new Set(refusals)).toEqual(new Set(["SQLiteError: database is locked"]));
  writer.run("INSERT INTO kept_secrets VALUES ('a', 'b')");
  writer.close();
});
