import { expect, test } from "bun:test";
import { Kysely } from "kysely";
import { openTestRecords } from "#test/support/test-records.ts";
import type { Queries } from "./database-access.ts";
import type { ReadConnection } from "./sqlite/read-connection.ts";

test("the compiler refuses a transaction, and a statement that writes past the committer", () => {
  const forbidden = (queries: Queries, connection: ReadConnection) => {
    // @ts-expect-error A transaction that is open across an await would take other callers' statements with it.
    queries.transaction();
    // @ts-expect-error So would a connection of its own, which is the same one.
    queries.connection();
    // @ts-expect-error The serving thread's connection only reads.
    connection.run("DELETE FROM plants");
    // @ts-expect-error A statement that was prepared on it only reads.
    connection.prepare("DELETE FROM plants").run();
  };
  expect(forbidden).toBeFunction();
});

test("single statements are written by the committer, and a transaction under them is refused", async () => {
  const { storage, account, end } = await openTestRecords("sqlite");
  const library = storage.db;
  const row = { hash: "a", used_by: null };
  const written = library.insertInto("welcome_codes").values({ place: 1, ...row });
  const both = await Promise.all([
    written.execute(),
    storage.records.plants.create(await account(), { id: 1n, name: "a", tag: undefined }),
  ]);
  expect(both[1]).toBe("created");
  expect(await library.selectFrom("welcome_codes").select("hash").execute()).toEqual([{ hash: "a" }]);
  if (!(library instanceof Kysely)) throw new Error("the queries are not Kysely's");
  const transaction = library.transaction().execute((inside) => inside.deleteFrom("welcome_codes").execute());
  await expect(transaction).rejects.toThrow("cannot start a transaction within a transaction");
  expect(await library.updateTable("welcome_codes").set({ hash: "b" }).returning("hash").execute()).toEqual([
    { hash: "b" },
  ]);
  await end();
});
