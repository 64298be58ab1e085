import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import type { Storage } from "./storage.ts";

let testStore: TestStore;
let names = 0;

function setting({ db }: Pick<Storage, "db">, name: string, value = "") {
  return db.insertInto("kept_secrets").values({ name, value }).compile();
}

function change({ db }: Pick<Storage, "db">, name: string, value: string) {
  return db.updateTable("kept_secrets").set({ value }).where("name", "=", name).compile();
}

async function keptValue(name: string): Promise<string | undefined> {
  const query = testStore.storage.db.selectFrom("kept_secrets").select("value").where("name", "=", name);
  return (await query.executeTakeFirst())?.value;
}

/** The names of two rows that are there. */
async function twoRows(): Promise<[string, string]> {
  const [one, other] = [`row ${++names}`, `row ${++names}`];
  await testStore.storage.atomically([setting(testStore.storage, one), setting(testStore.storage, other)]);
  return [one, other];
}

describe.each(ENGINES)("a unit of several statements, on %s", (engine) => {
  beforeAll(async () => {
    testStore = await openTestStore(engine);
  }, 60_000);
  afterAll(() => testStore.end());

  test("asks its caller about each statement, in their order, with the number of rows that it changed", async () => {
    const { storage } = testStore;
    const [one, other] = await twoRows();
    const asked: [number, number][] = [];
    await storage.atomically(
      [
        change(storage, one, "a"),
        change(storage, "no such row", "b"),
        storage.db.deleteFrom("kept_secrets").where("name", "in", [one, other]).compile(),
      ],
      (index, rows) => void asked.push([index, rows]),
    );
    expect(asked).toEqual([
      [0, 1],
      [1, 0],
      [2, 2],
    ]);
  });

  test("keeps nothing if its caller throws in the middle, who gets that error, and the next unit is kept", async () => {
    const { storage } = testStore;
    const [one, other] = await twoRows();
    const stop = new Error("not these");
    const unit = storage.atomically([change(storage, one, "a"), change(storage, other, "b")], (index) => {
      if (index === 1) throw stop;
    });
    await expect(unit).rejects.toBe(stop);
    expect([await keptValue(one), await keptValue(other)]).toEqual(["", ""]);
    await storage.atomically([change(storage, one, "c")]);
    expect(await keptValue(one)).toBe("c");
  });

  test("keeps nothing if one of its statements is refused, and units beside it are kept", async () => {
    const { storage } = testStore;
    const [one, other] = await twoRows();
    const [refused, kept] = await Promise.allSettled([
      storage.atomically([change(storage, one, "a"), setting(storage, other)]),
      storage.atomically([change(storage, other, "b")]),
    ]);
    expect([refused.status, kept.status]).toEqual(["rejected", "fulfilled"]);
    expect([await keptValue(one), await keptValue(other)]).toEqual(["", "b"]);
  });

  test("is kept beside units of another node that change the same rows in another order", async () => {
    const [one, other] = await twoRows();
    const node = await testStore.another();
    // Two, since the database takes a second to find each deadlock, and a unit is given up after two.
    const units = [testStore.storage, node].map((storage, at) => {
      const statements = [change(storage, one, `by ${at}`), change(storage, other, `by ${at}`)];
      return storage.atomically(at === 1 ? statements.reverse() : statements);
    });
    await Promise.all(units);
    expect(await keptValue(one)).toBe(await keptValue(other));
    await node.store.close();
  });
});

describe("a unit on PostgreSQL", () => {
  beforeAll(async () => {
    testStore = await openTestStore("postgres");
  }, 60_000);
  afterAll(() => testStore.end());

  test("that was rolled back to let another transaction pass is done again, and never answered", async () => {
    const { storage } = testStore;
    const [name] = await twoRows();
    // A sequence counts on when a transaction is rolled back.
    await sql`CREATE SEQUENCE attempts_made`.execute(storage.db);
    await sql`
      CREATE FUNCTION conflict_once() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts_made') = 1 THEN
          RAISE EXCEPTION 'could not serialize access' USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN 'done';
      END $$`.execute(storage.db);
    const conflict = storage.db.updateTable("kept_secrets").set({ value: sql`conflict_once()` });
    await storage.atomically([change(storage, name, "first"), conflict.where("name", "=", name).compile()]);
    expect(await keptValue(name)).toBe("done");
  });

  test("whose connection dies in the middle is unavailable and keeps nothing, and the next one is kept", async () => {
    const { storage } = testStore;
    const [one, other] = await twoRows();
    const death = sql`SELECT pg_terminate_backend(pg_backend_pid())`.compile(storage.db);
    const unit = storage.atomically([change(storage, one, "a"), death, change(storage, other, "b")]);
    await expect(unit).rejects.toMatchObject({ code: "unavailable" });
    expect([await keptValue(one), await keptValue(other)]).toEqual(["", ""]);
    await storage.atomically([change(storage, one, "c")]);
    expect(await keptValue(one)).toBe("c");
  });
});
