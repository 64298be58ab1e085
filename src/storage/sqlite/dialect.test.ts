import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import type { Schema } from "#storage/schema.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { migratingDialect } from "./dialect.ts";

test("migrations wait for the lock of another process from a timer, for a minute, while this one goes on", async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const [mine, other] = [new Database(path), new Database(path)];
  mine.run("PRAGMA busy_timeout = 0");
  other.run("BEGIN IMMEDIATE");
  let now = 0;
  using clock = spyOn(performance, "now").mockImplementation(() => now);
  let isDone = false;
  const migrating = new Kysely<Schema>({ dialect: migratingDialect(mine) }).transaction();
  const done = migrating
    .execute((transaction) => sql`CREATE TABLE later (a integer)`.execute(transaction))
    .then(() => {
      isDone = true;
    });
  for (now of [0, 59_000]) {
    clock.mockClear();
    await eventually("the lock is tried again and again", () => clock.mock.calls.length > 2);
  }
  expect(isDone).toBe(false);
  other.run("ROLLBACK");
  await done;
  expect(other.query("SELECT name FROM sqlite_schema WHERE name = 'later'").all()).toHaveLength(1);
  mine.close();
  other.close();
});
