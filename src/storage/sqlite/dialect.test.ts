import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import type { Schema } from "#storage/schema.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { migratingDialect } from "./dialect.ts";

test("migrations wait for the lock of another process from a timer, while this one goes on", async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  const [mine, other] = [new Database(path), new Database(path)];
  mine.run("PRAGMA busy_timeout = 0");
  other.run("BEGIN IMMEDIATE");
  let isDone = false;
  const migrating = new Kysely<Schema>({ dialect: migratingDialect(mine) }).transaction();
  const done = migrating
    .execute((transaction) => sql`CREATE TABLE later (a integer)`.execute(transaction))
    .then(() => {
      isDone = true;
    });
  for (let turns = 0; turns < 10; turns++) await Bun.sleep(5);
  expect(isDone).toBe(false);
  other.run("ROLLBACK");
  await done;
  expect(other.query("SELECT name FROM sqlite_schema WHERE name = 'later'").all()).toHaveLength(1);
  mine.close();
  other.close();
});
