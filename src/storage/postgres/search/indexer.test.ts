import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import type { AccountNumber } from "#core/plant.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { openSearchedStore, type SearchedStore } from "#test/support/search-index.ts";
import { Horizon } from "../horizon.ts";
import { Pool } from "../pool.ts";
import { COMMAND_WAITS } from "../pools.ts";
import { SearchIndexer } from "./indexer.ts";
import { IS_PLAIN, PLAIN_TEXT, searchText } from "./search-text.ts";

const run = { now: 0, signal: new AbortController().signal };
const first = { id: 1n, name: "first", tag: "t" };

let searched: SearchedStore;
let pool: Pool;
let other: pg.Client;

beforeAll(async () => {
  searched = await openSearchedStore("postgres");
  pool = new Pool(searched.url, { sizeMax: 2, ...COMMAND_WAITS });
  other = new pg.Client(searched.url);
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await pool.end();
  await searched.end();
});

function listed(account: AccountNumber, q: string) {
  return searched.search(account, { order: "id", limit: 10, q, tag: undefined, after: undefined });
}

test("an account that was marked just now is not indexed yet, and is not looked at again at once", async () => {
  const account = await searched.account();
  await searched.records.plants.create(account, first);
  const indexer = new SearchIndexer(pool, new Horizon(pool), { sliceLength: 1, markSettledMs: 3_600_000 });
  expect(await indexer.job.run(run)).toBeUndefined();
  expect(await searched.indexed(account)).toBe(0);
  expect((await listed(account, "first")).plants).toHaveLength(1);
});

test("an account that was marked by a clock that was far ahead is indexed as one that was marked just now", async () => {
  const account = await searched.account();
  await searched.records.plants.create(account, first);
  const indexer = new SearchIndexer(pool, new Horizon(pool), { sliceLength: 1, markSettledMs: 1 });
  await other.query("INSERT INTO plant_search_marks (account, since) VALUES ($1, now() + interval '1 hour')", [
    account,
  ]);
  await eventually(
    "the account is indexed",
    async () => {
      await indexer.job.run(run);
      return (await searched.indexed(account)) === 1;
    },
    10_000,
  );
});

test("plants wait while a burst of creates goes on, and changes of indexed plants do not", async () => {
  const account = await searched.account();
  let isBurst = true;
  const options = { sliceLength: 1, markSettledMs: -1, mustWait: () => isBurst };
  const horizon = new Horizon(pool);
  const indexer = new SearchIndexer(pool, horizon, options);
  const runAll = async () => {
    while ((await indexer.job.run(run)) === 0);
  };
  await searched.records.plants.create(account, first);
  await horizon.refresh(60_000);
  await runAll();
  expect(await searched.indexed(account)).toBe(0);
  isBurst = false;
  await runAll();
  expect(await searched.indexed(account)).toBe(1);
  isBurst = true;
  await searched.records.plants.remove(account, first.id, () => undefined);
  await runAll();
  expect(await searched.indexed(account)).toBe(0);
});

test("the index waits for creates that are under way, so that it misses none", async () => {
  const account = await searched.account();
  await searched.records.plants.create(account, first);
  await other.query("BEGIN");
  await other.query("SELECT pg_current_xact_id()");
  const { rows } = await other.query<{ number: string }>("SELECT nextval('plant_number')::text AS number");
  await searched.records.plants.create(account, { id: 2n, name: "second", tag: undefined });
  const indexer = new SearchIndexer(pool, new Horizon(pool), { sliceLength: 1, markSettledMs: -1 });
  const indexing = indexer.job.run(run);
  await eventually("the index has looked whether they have ended", async () => {
    // A transaction sees the activity as it was at its first look.
    await other.query("SELECT pg_stat_clear_snapshot()");
    const looks = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_snapshot_xmin%'";
    return (await other.query(`${looks} AND pid <> pg_backend_pid()`)).rows.length > 0;
  });
  expect(await searched.indexed(account)).toBeLessThan(2);
  await other.query(
    "INSERT INTO plants (number, account, id, name, created_at, updated_at) VALUES ($1, $2, 3, 'late', 0, 0)",
    [rows[0]?.number, account],
  );
  await other.query("COMMIT");
  await indexing;
  await searched.index(1);
  expect((await listed(account, "late")).plants).toHaveLength(1);
});

test("the database gives each name of usual characters the same searched form as this process, and leaves others to it", async () => {
  const usual = fc.constantFrom(..."abcXYZ019 .-'()");
  const name = fc.oneof(
    fc.string({ unit: usual }),
    fc.string({ unit: "grapheme-ascii" }),
    fc.string({ unit: fc.oneof(usual, fc.constantFrom("é", "İ", "\u{212a}", "\n", "~", "^", "]", "\\")) }),
    fc.string({ unit: usual, minLength: 995, maxLength: 1005 }),
  );
  const names = [...fc.sample(name, { numRuns: 1000, seed: 7 }), "", "Monstera 'Thai Constellation' (no. 5)"];
  const { rows } = await other.query<{ name: string; plain: boolean; text: string }>(
    `SELECT name, ${IS_PLAIN} AS plain, ${PLAIN_TEXT} AS text FROM unnest($1::text[]) AS given (name)`,
    [names],
  );
  const isUsual = (each: string) => /^[A-Za-z0-9 .'()-]{0,1000}$/.test(each);
  expect(rows.map(({ plain }) => plain)).toEqual(names.map(isUsual));
  const plain = rows.filter((row) => row.plain);
  expect(plain.map(({ text }) => text)).toEqual(plain.map((row) => searchText(row.name)));
  expect(plain.length).toBeGreaterThan(400);
  expect(plain.length).toBeLessThan(900);
});

test("a removed account is not marked again, and leaves no change behind", async () => {
  const account = await searched.account();
  await searched.records.plants.create(account, first);
  await searched.index(1);
  expect(await searched.indexed(account)).toBe(1);
  await searched.records.stores.remove(account, TEST_SOURCE);
  await searched.index(1);
  for (const table of ["plant_search_marks", "plant_search_changes"]) {
    const { rows } = await other.query(`SELECT 1 FROM ${table} WHERE account = $1`, [account]);
    expect(rows).toEqual([]);
  }
});
