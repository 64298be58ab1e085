import { expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import pg from "pg";
import type { Schema } from "#storage/schema.ts";
import { eventually } from "#test/support/eventually.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { migratingDialect } from "./dialect.ts";
import { Pool } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";

test("migrations do not wait long for a table that somebody reads, as everybody would wait behind them", async () => {
  const testRecords = await openTestRecords("postgres");
  const reader = new pg.Client(testRecords.url);
  await reader.connect();
  await reader.query("BEGIN; LOCK TABLE leases IN ACCESS SHARE MODE");
  const pool = new Pool(testRecords.url, { sizeMax: 1, ...COMMAND_WAITS, queryMsMax: 0 });
  const altering = new Kysely<Schema>({ dialect: migratingDialect(pool) })
    .transaction()
    .execute((transaction) => sql`ALTER TABLE leases ADD COLUMN note text`.execute(transaction));
  await expect(altering).rejects.toMatchObject({ code: "unavailable", cause: { code: "55P03" } });
  await Promise.all([reader.end(), pool.end()]);
  const leases = testRecords.records.leases;
  await eventually("leases are taken", () => leases.take({ name: "a", holder: "b", durationMs: 1000 }));
  await testRecords.end();
});
