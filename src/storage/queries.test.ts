import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { describeStores } from "#test/support/stores.ts";
import type { Queries } from "./queries.ts";

describeStores("single statements, on %s", (testStore) => {
  let db: Queries;
  let names = 0;
  beforeAll(() => {
    db = testStore.storage.db;
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

  test("store every int64 to the last digit, and dates to the millisecond, whatever their zone", async () => {
    for (const number of [INT64_MIN, INT64_MAX, 2n ** 53n + 1n, -1n]) {
      await db.insertInto("number_marks").values({ at: 1, number }).execute();
      const text = sql<{ number: string }>`SELECT CAST(number AS text) AS number FROM number_marks WHERE at = 1`;
      expect((await text.execute(db)).rows).toEqual([{ number: String(number) }]);
      await db.deleteFrom("number_marks").where("at", "=", 1).execute();
    }
    const { id } = await testStore.holder();
    for (const date of ["2026-03-10T12:00:00.007+02:00", "1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]) {
      await db
        .updateTable("accounts")
        .set({ updated_at: new Date(date) })
        .where("id", "=", id)
        .execute();
      const stored = await db
        .selectFrom("accounts")
        .select("updated_at")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      expect(new Date(stored.updated_at)).toEqual(new Date(date));
    }
  });
});
