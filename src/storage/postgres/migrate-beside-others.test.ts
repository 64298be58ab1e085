import { expect, test } from "bun:test";
import { Kysely, sql } from "kysely";
import pg from "pg";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { migratingDialect } from "./dialect.ts";
import { Pool } from "./pool.ts";

const INSERT_MS_MAX = 1000;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

test("a migration that waits for a table gives up before anything that waits behind it is late", async () => {
  const url = await newPostgresDatabase();
  const [reader, writer] = await Promise.all([connected(url), connected(url)]);
  await writer.query("CREATE TABLE rows (id int)");
  await reader.query("BEGIN; LOCK TABLE rows IN ACCESS SHARE MODE");
  const pool = new Pool(url, { sizeMax: 1, queryMsMax: 0, onConnect: async () => {} });
  pool.open();
  const db = new Kysely({ dialect: migratingDialect(pool) });
  const migration = db.transaction().execute((trx) => sql`ALTER TABLE rows ADD COLUMN name text`.execute(trx));
  const ended = migration.then(
    () => "migrated",
    (error) => String(error.cause ?? error),
  );
  await Bun.sleep(50);
  const start = performance.now();
  await writer.query("INSERT INTO rows VALUES (1)");
  expect(performance.now() - start).toBeLessThan(INSERT_MS_MAX);
  expect(await ended).toContain("lock timeout");
  await Promise.all([reader.end(), writer.end(), pool.end()]);
}, 60_000);
