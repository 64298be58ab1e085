import { beforeAll, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { type Queries, required, type Statement } from "./database-access.ts";

describeRecords("single statements, on %s", (testRecords) => {
  let db: Queries;
  let names = 0;
  beforeAll(() => {
    db = testRecords.storage.db;
  });

  async function store(value: string): Promise<string> {
    const name = `secret ${++names}`;
    await db.insertInto("kept_secrets").values({ name, value }).execute();
    return name;
  }

  const secret = (name: string) =>
    db.selectFrom("kept_secrets").select("value").where("name", "=", name).executeTakeFirst();

  test("tell how many rows they changed, and give those that they return", async () => {
    const name = await store("1");
    const changed = await db
      .updateTable("kept_secrets")
      .set({ value: "2" })
      .where("name", "=", name)
      .executeTakeFirst();
    expect(changed.numUpdatedRows).toBe(1n);
    const removed = db.deleteFrom("kept_secrets").where("name", "=", name);
    expect(await removed.returning("value").execute()).toEqual([{ value: "2" }]);
    expect((await removed.executeTakeFirst()).numDeletedRows).toBe(0n);
  });

  test("store every text that both engines can, character by character, and refuse any other before it is sent", async () => {
    const text = fc.oneof(
      fc.constantFrom("", " ", "\uffff", "\ufeff", "\u{10ffff}", "e\u0301", "\u0001", "x".repeat(1_000_000)),
      fc.string({ unit: "binary", maxLength: 20 }).map((any) => any.replaceAll("\0", "").toWellFormed()),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(await secret(await store(value))).toEqual({ value });
      }),
      { numRuns: 30 },
    );
    for (const value of ["a\0b", "\ud800", "a\udc00"]) {
      await expect(store(value)).rejects.toMatchObject({ code: "member-invalid" });
      expect(await secret(`secret ${names}`)).toBeUndefined();
    }
  });

  test("store every int64 to the last digit", async () => {
    for (const number of [INT64_MIN, INT64_MAX, 2n ** 53n + 1n, -1n]) {
      await db.insertInto("number_marks").values({ at: 1, number }).execute();
      const text = sql<{ number: string }>`SELECT CAST(number AS text) AS number FROM number_marks WHERE at = 1`;
      expect((await text.execute(db)).rows).toEqual([{ number: String(number) }]);
      await db.deleteFrom("number_marks").where("at", "=", 1).execute();
    }
  });
});

describeRecords("a unit of several statements, on %s", (testRecords, engine) => {
  let names = 0;

  const setting = (name: string) => testRecords.storage.db.insertInto("kept_secrets").values({ name, value: "" });
  const change = (name: string, value: string) =>
    testRecords.storage.db.updateTable("kept_secrets").set({ value }).where("name", "=", name);

  async function keptValue(name: string): Promise<string | undefined> {
    const query = testRecords.storage.db.selectFrom("kept_secrets").select("value").where("name", "=", name);
    return (await query.executeTakeFirst())?.value;
  }

  /** The names of two rows that are there. */
  async function twoRows(): Promise<[string, string]> {
    const [one, other] = [`row ${++names}`, `row ${++names}`];
    await testRecords.storage.atomically([setting(one), setting(other)]);
    return [one, other];
  }

  test("tells of the statements that change no row, in their order, and keeps the others", async () => {
    const { storage } = testRecords;
    const [one, other] = await twoRows();
    const told: string[] = [];
    const step = (statement: Statement, name: string) => ({ statement, unchanged: () => void told.push(name) });
    await storage.atomically([
      step(change("no such row", "a"), "first"),
      step(change(one, "b"), "second"),
      step(storage.db.deleteFrom("kept_secrets").where("name", "=", other), "third"),
      step(change(other, "c"), "fourth"),
    ]);
    expect(told).toEqual(["first", "fourth"]);
    expect([await keptValue(one), await keptValue(other)]).toEqual(["b", undefined]);
  });

  test("keeps nothing if a condition does not hold, whose error its caller gets, and the next unit is kept", async () => {
    const { storage } = testRecords;
    const [one] = await twoRows();
    const stop = new Error("not these");
    const unit = storage.atomically([change(one, "a"), required(change("no such row", "b"), () => stop)]);
    await expect(unit).rejects.toBe(stop);
    expect(await keptValue(one)).toBe("");
    await storage.atomically([change(one, "c")]);
    expect(await keptValue(one)).toBe("c");
  });

  test("keeps nothing if one of its statements is refused, and units beside it are kept", async () => {
    const { storage } = testRecords;
    const [one, other] = await twoRows();
    const [refused, kept] = await Promise.allSettled([
      storage.atomically([change(one, "a"), setting(other)]),
      storage.atomically([change(other, "b")]),
    ]);
    expect([refused.status, kept.status]).toEqual(["rejected", "fulfilled"]);
    expect([await keptValue(one), await keptValue(other)]).toEqual(["", "b"]);
  });

  test("is kept beside units of another node that change the same rows in another order", async () => {
    const [one, other] = await twoRows();
    const node = await testRecords.another();
    // A unit is given up after two seconds, and the database takes one to find a deadlock unless it is told otherwise.
    using _ = spyOn(performance, "now").mockReturnValue(0);
    const quickly = sql`SET LOCAL deadlock_timeout = '50ms'`.compile(testRecords.storage.db);
    const units = [testRecords.storage, node].map((storage, at) => {
      const statements = [change(one, `by ${at}`), change(other, `by ${at}`)];
      if (at === 1) statements.reverse();
      return storage.atomically(engine === "postgres" ? [quickly, ...statements] : statements);
    });
    await Promise.all(units);
    expect(await keptValue(one)).toBe(await keptValue(other));
    await node.records.close();
  });

  if (engine === "sqlite") return;

  test("that was rolled back to let another transaction pass is done again, and never answered", async () => {
    const { storage } = testRecords;
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
    await storage.atomically([change(name, "first"), conflict.where("name", "=", name)]);
    expect(await keptValue(name)).toBe("done");
  });

  test("whose connection dies in the middle is unavailable and keeps nothing, and the next one is kept", async () => {
    const { storage } = testRecords;
    const [one, other] = await twoRows();
    const death = sql`SELECT pg_terminate_backend(pg_backend_pid())`.compile(storage.db);
    const unit = storage.atomically([change(one, "a"), death, change(other, "b")]);
    await expect(unit).rejects.toMatchObject({ code: "unavailable" });
    expect([await keptValue(one), await keptValue(other)]).toEqual(["", ""]);
    await storage.atomically([change(one, "c")]);
    expect(await keptValue(one)).toBe("c");
  });
});
