import { expect, test } from "bun:test";
import { Kysely, type RawBuilder, sql } from "kysely";
import pg from "pg";
import type { Schema } from "#storage/schema.ts";
import { eventually } from "#test/support/eventually.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { builtOnce, type Queries } from "../database-access.ts";
import { migratingDialect, pooledDialect } from "./dialect.ts";
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
  await eventually("leases are taken", () => leases.acquire({ name: "a", holder: "b", durationMs: 1000 }));
  await testRecords.end();
});

test("a query that is built once is planned once for each connection, and answered where a pooler has lost its plan", async () => {
  const testRecords = await openTestRecords("postgres");
  const pool = new Pool(testRecords.url, { sizeMax: 1 });
  const db = new Kysely<Schema>({ dialect: pooledDialect(pool) });
  const build = (db: Queries, name: RawBuilder<string>) =>
    db.selectFrom("kept_secrets").select("value").where("name", "=", name);
  const secrets = builtOnce("a secret", build);
  await db.insertInto("kept_secrets").values({ name: "kept", value: "this" }).execute();
  const planned = () => pool.rows<{ name: string }>("SELECT name FROM pg_prepared_statements");
  for (const name of ["kept", "other", "kept"]) {
    expect(await secrets(db, name)).toEqual(name === "kept" ? [{ value: "this" }] : []);
    expect(await planned()).toEqual([{ name: expect.stringMatching(/^a secret \w+$/) }]);
  }
  // As where another release has built it in another way, and a pooler lends both the same connection.
  const older = builtOnce("a secret", (db, name) => build(db, name).select("name"));
  expect(await older(db, "kept")).toEqual([{ value: "this", name: "kept" }]);
  expect(await secrets(db, "kept")).toEqual([{ value: "this" }]);
  await pool.query("DEALLOCATE ALL");
  for (let at = 0; at < 2; at++) expect(await secrets(db, "kept")).toEqual([{ value: "this" }]);
  expect(await planned()).toEqual([]);
  await pool.end();
  await testRecords.end();
});
