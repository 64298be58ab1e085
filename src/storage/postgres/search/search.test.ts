import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_OBSERVER } from "#core/observer.ts";
import type { AccountNumber, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantQuery, PlantStore } from "#core/store.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { removal, TEST_SOURCE } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { newAccount } from "#test/support/stores.ts";
import { Horizon } from "../horizon.ts";
import { openPools, type Pools } from "../pools.ts";
import { Searching } from "../searching.ts";
import { SearchIndexer } from "./indexer.ts";
import { searchedPage } from "./plant-search.ts";

const always = () => undefined;
const orders = ["id", "-created_at"] as const;
const everything: PlantQuery = { order: "id", limit: 1000, tag: undefined, q: undefined, after: undefined };
const run = { now: 0, signal: new AbortController().signal };

let storage: Storage;
let plants: PlantStore;
let pools: Pools;
let searching: Searching;
let url: string;

beforeAll(async () => {
  url = await newPostgresDatabase();
  storage = await openStorage(url);
  plants = storage.store.plants;
  pools = openPools(url, NO_OBSERVER);
  for (const pool of Object.values(pools)) pool.open();
  searching = new Searching(pools.searching);
}, 60_000);
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
  await storage.store.close();
});

/** Indexes in slices of that length until there is nothing more to do. */
async function index(sliceLength: number): Promise<void> {
  const indexer = new SearchIndexer(pools.shared, new Horizon(pools.shared), { sliceLength, markSettledMs: -1 });
  indexer.enable();
  while ((await indexer.job.run(run)) === 0);
}

/** The rows of the index, which hold no name and no tag. */
async function indexedRows(account: AccountNumber): Promise<number> {
  const { rows } = await pools.shared.query("SELECT 1 FROM plant_search WHERE account = $1", [account]);
  return rows.length;
}

/** All pages, by the index alone. */
async function listed(account: AccountNumber, query: Partial<PlantQuery>): Promise<Plant[]> {
  const found: Plant[] = [];
  let after: bigint | undefined;
  do {
    const whole = { ...everything, ...query, after };
    const sample = { rowsMin: 0, rowsMax: 0 };
    const page = await searching.run(account, (client) => searchedPage(client, account, whole, sample));
    found.push(...page.plants);
    after = page.next;
  } while (after !== undefined);
  return found;
}

async function all(account: AccountNumber, order: PlantQuery["order"]): Promise<readonly Plant[]> {
  return (await plants.list(account, { ...everything, order })).plants;
}

async function changeOrReplace(account: AccountNumber, id: bigint, patch: PlantPatch | undefined): Promise<void> {
  if (patch) {
    await plants.change(account, id, patch, always);
  } else {
    await plants.remove(account, id, always);
    await plants.create(account, { id, name: "Monstera made anew", tag: undefined });
  }
}

test("whatever part of the plants is in the index, a search finds what a comparison one by one finds", async () => {
  const words = [
    "Monstera",
    "monstera",
    "ΣΊΣΥΦΟΣ",
    "ſtraße",
    "STRASSE",
    "K",
    "\u{212a}",
    "100%",
    "_*_",
    '"\\',
    "🌵🌵🌵",
    "(",
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((parts) => parts.join(" "));
  const tag = fc.option(fc.constantFrom("", "Indoor", "indoor"), { nil: undefined });
  const part = fc
    .tuple(text, fc.nat(8), fc.nat(8))
    .map(([whole, from, length]) => [...whole].slice(from, from + length).join(""));
  const change = fc.record({
    at: fc.nat(30),
    to: fc.option(fc.record({ name: text, tag: fc.option(tag, { nil: null }) }), { nil: undefined }),
    indexes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: text, tag }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(change, { maxLength: 8 }),
      fc.array(fc.record({ q: part, tag, limit: fc.integer({ min: 1, max: 20 }) }), { minLength: 3, maxLength: 3 }),
      async (given, sliceLength, changes, queries) => {
        const account = await newAccount(storage);
        await plants.createMany(
          account,
          given.map((each, at) => ({ ...each, id: BigInt(at) })),
        );
        await index(sliceLength);
        for (const { at, to, indexes } of changes) {
          await changeOrReplace(account, BigInt(at % given.length), to);
          if (indexes) await index(sliceLength);
        }
        for (const order of orders) {
          const each = await all(account, order);
          for (const query of queries) {
            const expected = each.filter((plant) => passes(plantFilter(query), plant));
            expect(await listed(account, { ...query, order })).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: 20 },
  );
}, 120_000);

test("with hits from none to all of the plants, pages in either order hold each hit once", async () => {
  const account = await newAccount(storage);
  const count = 3000;
  const given = Array.from({ length: count }, (_, at): NewPlant => {
    const rarity = `${at % 2 ? "even" : "odd"} ${at % 100 === 7 ? "rare" : ""} ${at === 2321 ? "unique" : ""}`;
    return { id: BigInt((at * 7919) % count), name: `Plant ${rarity}`, tag: at % 10 ? undefined : "tenth" };
  });
  for (let at = 0; at < count; at += 500) await plants.createMany(account, given.slice(at, at + 500));
  await index(1000);
  expect(await indexedRows(account)).toBe(3000);
  const hits = { plant: 3000, EVEN: 1500, rare: 30, uniq: 1, none: 0, "t ": 3000 };
  for (const order of orders) {
    for (const [q, expected] of Object.entries(hits)) {
      const found = await listed(account, { q, order, limit: 333 });
      expect(new Set(found.map(({ id }) => id)).size).toBe(expected);
      const keys = found.map((plant) => (order === "id" ? plant.id : -plant.number));
      expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)));
    }
    expect(await listed(account, { tag: "tenth", order, limit: 333 })).toHaveLength(300);
    expect(await listed(account, { tag: "tenth", q: "odd", order, limit: 333 })).toHaveLength(300);
    expect(await listed(account, { tag: "tenth", q: "even", order, limit: 333 })).toHaveLength(0);
  }
}, 60_000);

test("a name too long for the index is found by any part of it", async () => {
  const account = await newAccount(storage);
  const name = `${"lorem ipsum ".repeat(2000)}Dionaea muscipula${" dolor".repeat(2000)}`;
  await plants.createMany(account, [
    { id: 1n, name, tag: "long" },
    { id: 2n, name: "short", tag: "t".repeat(100_000) },
  ]);
  await index(2);
  expect(await indexedRows(account)).toBe(2);
  for (const order of orders) {
    expect(await listed(account, { q: "dionaea MUSC", order })).toHaveLength(1);
    expect(await listed(account, { q: "ipsum lorem", tag: "long", order })).toHaveLength(1);
    expect(await listed(account, { q: "dionaea muscipulb", order })).toHaveLength(0);
    expect(await listed(account, { tag: "t".repeat(100_000), order })).toHaveLength(1);
  }
});

test("the index waits for creates that are under way, and for an account that was marked just now", async () => {
  const account = await newAccount(storage);
  await plants.createMany(account, [{ id: 1n, name: "first", tag: undefined }]);
  const indexer = new SearchIndexer(pools.shared, new Horizon(pools.shared), { sliceLength: 1 });
  indexer.enable();
  await indexer.job.run(run);
  expect(await indexedRows(account)).toBe(0);
  const late = await pools.exporting.connect();
  await late.query("BEGIN");
  await late.query("SELECT pg_current_xact_id()");
  const { rows } = await late.query<{ number: string }>("SELECT nextval('plant_number')::text AS number");
  const second = { id: 2n, name: "second", tag: undefined };
  await plants.create(account, second);
  const indexing = index(1);
  await Bun.sleep(300);
  expect(await indexedRows(account)).toBeLessThan(2);
  await late.query(
    "INSERT INTO plants (number, account, id, name, created_at, updated_at) VALUES ($1, $2, 3, 'late', 0, 0)",
    [rows[0]?.number, account],
  );
  await late.query("COMMIT");
  late.release();
  await indexing;
  await index(1);
  expect(await listed(account, { q: "late" })).toHaveLength(1);
}, 30_000);

test("the rows of a removed account leave the index", async () => {
  const account = await newAccount(storage);
  await plants.createMany(account, [{ id: 1n, name: "first", tag: "t" }]);
  await index(1);
  expect(await indexedRows(account)).toBe(1);
  await storage.store.accounts.remove(removal(account), TEST_SOURCE);
  await index(1);
  expect(await indexedRows(account)).toBe(0);
  const marks = "SELECT 1 FROM plant_search_marks WHERE account = $1";
  expect((await pools.shared.query(marks, [account])).rows).toEqual([]);
});
