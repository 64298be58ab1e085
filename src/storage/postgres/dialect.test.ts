import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import pg from "pg";
import type { Schema } from "#storage/schema.ts";
import { eventually } from "#test/support/eventually.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { migratingDialect } from "./dialect.ts";
import { Pool } from "./pool.ts";

let testStore: TestStore;
const pools: Pool[] = [];

beforeAll(async () => {
  testStore = await openTestStore("postgres");
}, 60_000);
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await testStore.end();
});

function migrating(): Kysely<Schema> {
  const pool = new Pool(testStore.url, { sizeMax: 1, queryMsMax: 0 });
  pools.push(pool);
  return new Kysely<Schema>({ dialect: migratingDialect(pool) });
}

test("a statement that fails for the storage is unavailable, and one that is wrong stays a fault", async () => {
  const { db } = testStore.storage;
  const ended = sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(db);
  await expect(ended).rejects.toMatchObject({ code: "unavailable" });
  await expect(sql`SELECT no_such_column FROM tokens`.execute(db)).rejects.toThrow("no_such_column");
  expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }]);
});

describe("migrations", () => {
  test("of two processes run one after the other, each in a transaction of which nothing is left after an error", async () => {
    const order: string[] = [];
    const [slow, next] = [migrating(), migrating()];
    const begun = Promise.withResolvers<void>();
    const waiting = async () => (await sql`SELECT FROM pg_locks WHERE NOT granted`.execute(testStore.storage.db)).rows;
    const failing = slow.transaction().execute(async (transaction) => {
      await sql`CREATE TABLE of_one (a integer)`.execute(transaction);
      begun.resolve();
      await eventually("the other one waits", async () => (await waiting()).length > 0);
      order.push("first");
      await sql`SELECT no_such_column`.execute(transaction);
    });
    await begun.promise;
    const following = next.transaction().execute(async (transaction) => {
      order.push("second");
      await sql`CREATE TABLE of_one (a text)`.execute(transaction);
    });
    await expect(failing).rejects.toThrow("no_such_column");
    await following;
    expect(order).toEqual(["first", "second"]);
  });

  test("do not wait long for a table that somebody reads, as everybody would wait behind them", async () => {
    const reader = new pg.Client(testStore.url);
    await reader.connect();
    await reader.query("BEGIN; LOCK TABLE leases IN ACCESS SHARE MODE");
    const altering = migrating()
      .transaction()
      .execute((transaction) => sql`ALTER TABLE leases ADD COLUMN note text`.execute(transaction));
    await expect(altering).rejects.toMatchObject({ code: "unavailable", cause: { code: "55P03" } });
    await reader.query("ROLLBACK");
    await reader.end();
    const leases = testStore.store.leases;
    await eventually("leases are taken", () => leases.take({ name: "a", holder: "b", durationMs: 1000 }));
  });
});
