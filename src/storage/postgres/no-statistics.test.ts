import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantQuery } from "#core/records.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openStorage } from "../open.ts";
import { type PlantPageRequest, pageRequest } from "../plant-page.ts";
import type { Storage } from "../storage.ts";
import { Horizon } from "./horizon.ts";
import { listedPage, readInOrder, shortPage } from "./plant-scan.ts";
import { Pool } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";
import { exportPages } from "./reads.ts";
import { SearchIndexer } from "./search/indexer.ts";
import { searchedPage } from "./search/plant-search.ts";

/** Enough that the planner, without statistics, prefers a bitmap of all rows to an ordered index. */
const PLANTS = 120_000;
const SLICE = 20_000;
/** The largest page that a client can ask for. */
const LIMIT_MAX = 1000;

let storage: Storage;
/** Of one connection, because each connection counts what it reads on its own. */
let pool: Pool;
let account: AccountNumber;

beforeAll(async () => {
  const url = await newPostgresDatabase();
  storage = await openStorage(url);
  account = await newAccount(storage);
  pool = new Pool(url, { sizeMax: 1, ...COMMAND_WAITS });
  await pool.query("ALTER TABLE plants SET (autovacuum_enabled = off)");
  for (let first = 1; first <= PLANTS; first += SLICE) {
    await pool.query(
      `INSERT INTO plants (number, account, id, name, tag, created_at, updated_at)
       SELECT nextval('plant_number'), $1, at, 'Fern no. ' || at, CASE WHEN at % 20000 = 7 THEN 'rare' ELSE 'common' END, 0, 0
       FROM generate_series($2::bigint, $2::bigint + ${SLICE - 1}) AS at`,
      [account, first],
    );
  }
  await pool.query(`INSERT INTO plant_counts (account, slot, count) VALUES ($1, 0, ${PLANTS})`, [account]);
});
afterAll(async () => {
  await pool.end();
  await storage.records.close();
});

/** How many rows of plants the pool's connection reads meanwhile. */
async function readBy(work: () => Promise<void>): Promise<number> {
  const before = await plantsRead();
  await work();
  return (await plantsRead()) - before;
}

async function plantsRead(): Promise<number> {
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ read: number }>(
    "SELECT (seq_tup_read + idx_tup_fetch)::float8 AS read FROM pg_stat_user_tables WHERE relname = 'plants'",
  );
  return rows[0]?.read ?? 0;
}

test("a slice of the search index reads its own plants, and not all that wait", async () => {
  const horizon = new Horizon(pool);
  await horizon.refresh(60_000);
  const indexer = new SearchIndexer(pool, horizon, { sliceLength: SLICE, markSettledMs: -1 });
  const read = await readBy(async () => {
    while ((await indexer.job.run({ now: 0, signal: new AbortController().signal })) === 0);
  });
  const { rows } = await pool.query("SELECT 1 FROM plant_search WHERE account = $1", [account]);
  expect(rows).toHaveLength(PLANTS);
  expect(read).toBeGreaterThanOrEqual(PLANTS);
  // Each is read for the index, and for the counts of tags.
  expect(read).toBeLessThan(2.5 * PLANTS);
});

test("the search index follows changed plants by reading these, and not all of the account", async () => {
  const changed = 1000;
  await pool.query(
    "INSERT INTO plant_search_changes (account, number, id) SELECT account, number, id FROM plants WHERE account = $1 AND id <= $2",
    [account, changed],
  );
  const indexer = new SearchIndexer(pool, new Horizon(pool), { mustWait: () => true, markSettledMs: -1 });
  const read = await readBy(async () => {
    while ((await indexer.job.run({ now: 0, signal: new AbortController().signal })) === 0);
  });
  expect((await pool.query("SELECT 1 FROM plant_search_changes")).rows).toEqual([]);
  expect(read).toBeGreaterThanOrEqual(changed);
  expect(read).toBeLessThan(2 * changed);
});

test("a search reads a sample and its candidates, and not all plants of the account", async () => {
  const found = {
    rare: { tag: "rare" },
    none: { q: "xyzzy" },
    one: { q: "no. 77777" },
    both: { tag: "rare", q: "fern" },
  };
  const hits = { rare: 6, none: 0, one: 1, both: 6 };
  for (const order of ["id", "-created_at"] as const) {
    for (const [name, filter] of Object.entries(found)) {
      const query: PlantQuery = { order, limit: 100, tag: undefined, q: undefined, after: undefined, ...filter };
      const request = pageRequest(account, query) as PlantPageRequest;
      const read = await readBy(async () => {
        const { plants } = await readInOrder(pool, (client) => searchedPage(client, request));
        expect(plants).toHaveLength(hits[name as keyof typeof hits]);
      });
      expect(read).toBeLessThan(PLANTS / 4);
    }
  }
});

test("a page of a list reads its own plants, and not all of the account, up to the largest page", async () => {
  for (const order of ["id", "-created_at"] as const) {
    for (const limit of [100, LIMIT_MAX]) {
      const query: PlantQuery = { order, limit, tag: undefined, q: undefined, after: undefined };
      const request = pageRequest(account, query) as PlantPageRequest;
      const list = () => readInOrder(pool, (client) => listedPage(client, request));
      // From the sixth time on, the database may take a plan that it made for any values.
      for (let time = 0; time < 6; time++) await list();
      const read = await readBy(async () => {
        expect((await list()).plants).toHaveLength(limit);
      });
      expect(read).toBeGreaterThanOrEqual(limit);
      expect(read).toBeLessThan(2 * limit);
    }
  }
});

test("a short page of a list reads its own plants, also where others follow", async () => {
  for (const order of ["id", "-created_at"] as const) {
    const query: PlantQuery = { order, limit: 20, tag: undefined, q: undefined, after: undefined };
    const request = pageRequest(account, query) as PlantPageRequest;
    const list = () => shortPage(pool, request, 10_000);
    for (let time = 0; time < 6; time++) await list();
    const read = await readBy(async () => {
      expect((await list())?.plants).toHaveLength(20);
    });
    expect(read).toBeGreaterThanOrEqual(20);
    expect(read).toBeLessThan(200);
  }
});

test("a page of an export reads its own plants, and not all that are left", async () => {
  const read = await readBy(async () => {
    const pages = exportPages(pool, account);
    for (let page = 0; page < 5; page++) expect((await pages.next()).value).toHaveLength(500);
    await pages.return(undefined);
  });
  expect(read).toBeGreaterThanOrEqual(2500);
  expect(read).toBeLessThan(PLANTS / 4);
});
