import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import type { Schema } from "#storage/schema.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { executeCompiled } from "./compiled-query.ts";
import { migratingDialect } from "./dialect.ts";

let testStore: TestStore;
let db: TestStore["storage"]["db"];
beforeAll(async () => {
  testStore = await openTestStore("sqlite");
  db = testStore.storage.db;
}, 60_000);
afterAll(() => testStore.end());

test("a statement that follows a write in the same turn reads what is on disk, not what waits for the disk", async () => {
  const writing = db.insertInto("kept_secrets").values({ name: "late", value: "1" }).execute();
  const read = () => db.selectFrom("kept_secrets").select("value").where("name", "=", "late").execute();
  expect(await read()).toEqual([]);
  await writing;
  expect(await read()).toEqual([{ value: "1" }]);
});

describe("migrations", () => {
  test("run in one transaction, of which nothing is left after an error", async () => {
    const database = new Database(":memory:");
    const migrating = new Kysely<Schema>({ dialect: migratingDialect(database) });
    const failing = migrating.transaction().execute(async (transaction) => {
      await sql`CREATE TABLE half (a integer)`.execute(transaction);
      await sql`CREATE TABLE half (a integer)`.execute(transaction);
    });
    await expect(failing).rejects.toThrow("already exists");
    expect(database.query("SELECT name FROM sqlite_schema").all()).toEqual([]);
    await migrating.transaction().execute((transaction) => sql`CREATE TABLE whole (a integer)`.execute(transaction));
    expect(executeCompiled(database, sql`SELECT name FROM sqlite_schema`.compile(migrating)).rows).toEqual([
      { name: "whole" },
    ]);
    database.close();
  });

  test("wait for the lock of another process from a timer, while this one goes on", async () => {
    const path = testStore.url.slice("sqlite:".length);
    const [mine, other] = [new Database(path), new Database(path)];
    mine.run("PRAGMA busy_timeout = 0");
    other.run("BEGIN IMMEDIATE");
    let isDone = false;
    const migrating = new Kysely<Schema>({ dialect: migratingDialect(mine) });
    const done = migrating
      .transaction()
      .execute((transaction) => sql`CREATE TABLE later (a integer)`.execute(transaction))
      .then(() => {
        isDone = true;
      });
    for (let turns = 0; turns < 10; turns++) await Bun.sleep(5);
    expect(isDone).toBe(false);
    other.run("ROLLBACK");
    await done;
    expect(mine.query("SELECT name FROM sqlite_schema WHERE name = 'later'").all()).toHaveLength(1);
    mine.close();
    other.close();
  });
});
