import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { AccountNumber, NewPlant, Plant } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantQuery, PlantStore } from "#core/store.ts";
import { removal, TEST_SOURCE } from "#test/support/audit.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/stores.ts";
import type { Storage } from "../storage.ts";
import { openForWriting } from "./connection.ts";
import { QUIET_INTERVAL_MS } from "./indexer.ts";
import { openSqlite } from "./open.ts";
import { INDEX_SLICE_LENGTH, SearchIndex } from "./search-index.ts";
import { askedTerms, searchExpression } from "./search-terms.ts";

const always = () => undefined;
const orders = ["id", "-created_at"] as const;
const everything: PlantQuery = { order: "id", limit: 1000, tag: undefined, q: undefined, after: undefined };

let storage: Storage;
let plants: PlantStore;
/** A connection of the test's own, to fill the index when the test wants it. */
let side: Database;
let index: SearchIndex;
let account: AccountNumber = 1_000_000;

beforeAll(async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  storage = await openSqlite(path);
  plants = storage.store.plants;
  side = openForWriting(path);
  index = new SearchIndex(side);
});
afterAll(async () => {
  side.close();
  await storage.store.close();
});

function take(lengthMax: number): number {
  return side.transaction(() => index.takeSlice(lengthMax)).immediate();
}

function takeAll(): void {
  while (take(512) > 0) side.transaction(() => index.merge()).immediate();
}

/** How many plants of the account the index finds, without a look at the plants. */
function inIndex(of: AccountNumber, { q, tag }: { q?: string; tag?: string } = {}): number {
  const asked = askedTerms(of, plantFilter({ q: q ?? "any", tag }));
  if (!asked) throw new Error("the index cannot be asked for that");
  const expression = searchExpression(asked, q === undefined ? [asked.scope] : [asked.scope, ...asked.trigrams]);
  const hits = side.query("SELECT count(*) AS hits FROM plant_search WHERE plant_search MATCH ?");
  return (hits.get(expression) as { hits: number }).hits;
}

async function listed(of: AccountNumber, query: Partial<PlantQuery>): Promise<Plant[]> {
  const found: Plant[] = [];
  let after: bigint | undefined;
  do {
    const page = await plants.list(of, { ...everything, ...query, after });
    found.push(...page.plants);
    after = page.next;
  } while (after !== undefined);
  return found;
}

function names(count: number, name: (at: number) => string, tag?: (at: number) => string | undefined): NewPlant[] {
  return Array.from({ length: count }, (_, at) => ({
    id: BigInt((at * 7919) % count),
    name: name(at),
    tag: tag?.(at),
  }));
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
    '"',
    "🌵🌵🌵",
    "\u{f0000}",
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((parts) => parts.join(" "));
  const tag = fc.option(fc.constantFrom("", "Indoor", "indoor"), { nil: undefined });
  const part = fc
    .tuple(text, fc.nat(8), fc.nat(8))
    .map(([whole, from, length]) => [...whole].slice(from, from + length).join(""));
  const change = fc.record({ at: fc.nat(30), name: fc.option(text, { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: text, tag }), { minLength: 1, maxLength: 30 }),
      fc.nat(40),
      fc.array(change, { maxLength: 8 }),
      fc.array(fc.record({ q: part, tag, limit: fc.integer({ min: 1, max: 20 }) }), { minLength: 3, maxLength: 3 }),
      async (given, taken, changes, queries) => {
        takeAll();
        const mine = await newAccount(storage, ++account);
        await plants.createMany(
          mine,
          given.map(({ name, tag }, at) => ({ id: BigInt(at), name, tag })),
        );
        take(taken);
        for (const { at, name } of changes) {
          const id = BigInt(at % given.length);
          if (!(await plants.find(mine, id))) continue;
          await (name === undefined ? plants.remove(mine, id, always) : plants.change(mine, id, { name }, always));
        }
        for (const order of orders) {
          const all = await listed(mine, { order });
          for (const query of queries) {
            const expected = all.filter((plant) => passes(plantFilter(query), plant));
            expect(await listed(mine, { ...query, order })).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("with hits from few to all of the plants, pages in either order hold each hit once", async () => {
  const mine = await newAccount(storage, ++account);
  const count = 6000;
  const name = (at: number) =>
    `Plant ${at % 2 ? "even" : "odd"} ${at % 100 === 7 ? "rare" : ""} ${at === 4321 ? "unique" : ""}`;
  for (let at = 0; at < count; at += 500)
    await plants.createMany(mine, names(count, name, (at) => (at % 10 ? undefined : "tenth")).slice(at, at + 500));
  takeAll();
  const hits = { plant: 6000, EVEN: 3000, rare: 60, uniq: 1, none: 0, "t ": 6000 };
  for (const order of orders) {
    for (const [q, expected] of Object.entries(hits)) {
      const found = await listed(mine, { q, order, limit: 77 });
      expect(found).toHaveLength(expected);
      expect(new Set(found.map(({ id }) => id)).size).toBe(expected);
      const keys = found.map((plant) => (order === "id" ? plant.id : -plant.number));
      expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)));
    }
    expect(await listed(mine, { tag: "tenth", order, limit: 77 })).toHaveLength(600);
    expect(await listed(mine, { tag: "tenth", q: "odd", order, limit: 77 })).toHaveLength(600);
    expect(await listed(mine, { tag: "tenth", q: "even", order, limit: 77 })).toHaveLength(0);
  }
});

test("a name too long for the index is found by any part of it", async () => {
  const mine = await newAccount(storage, ++account);
  const name = `${"lorem ipsum ".repeat(2000)}Dionaea muscipula${" dolor".repeat(2000)}`;
  await plants.createMany(mine, [{ id: 1n, name, tag: "long" }, ...names(20, (at) => `short ${at}`).slice(2)]);
  takeAll();
  for (const order of orders) {
    expect(await listed(mine, { q: "dionaea MUSC", order })).toHaveLength(1);
    expect(await listed(mine, { q: "ipsum lorem", tag: "long", order })).toHaveLength(1);
    expect(await listed(mine, { q: "dionaea muscipulb", order })).toHaveLength(0);
  }
});

test("the index forgets what was changed, removed, or belonged to a removed account", async () => {
  const mine = await newAccount(storage, ++account);
  await plants.createMany(
    mine,
    names(
      300,
      (at) => `Aloe ${at}`,
      () => "green",
    ),
  );
  takeAll();
  expect(inIndex(mine)).toBe(300);
  await plants.change(mine, 7n, { name: "Agave", tag: null }, always);
  expect(inIndex(mine, { q: "agave" })).toBe(1);
  expect(inIndex(mine, { q: "aloe" })).toBe(299);
  expect(inIndex(mine, { tag: "green" })).toBe(299);
  await plants.remove(mine, 8n, always);
  expect(inIndex(mine)).toBe(299);
  await storage.store.accounts.remove(removal(mine), TEST_SOURCE);
  expect(inIndex(mine)).toBe(0);
  expect(inIndex(mine, { tag: "green" })).toBe(0);
});

test("any number of changes at once, in any order, reaches the index, one that is refused in the middle does not", async () => {
  const mine = await newAccount(storage, ++account);
  await plants.createMany(
    mine,
    names(900, (at) => `Sedum ${at}`),
  );
  takeAll();
  const refuse = () => {
    throw new Error("refused");
  };
  for (let round = 0; round < 4; round++) {
    const changes = Array.from({ length: 900 }, (_, at) =>
      plants.change(mine, BigInt((at * 7) % 900), { name: `Crassula ${round} ${at}` }, at % 9 ? always : refuse),
    );
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(100);
  }
  expect(inIndex(mine, { q: "sedum" })).toBe(100);
  expect(inIndex(mine, { q: "crassula" })).toBe(800);
  expect(await listed(mine, { q: "crassula 3" })).toHaveLength(800);
  const segments = side.query("SELECT count(DISTINCT segid) AS segments FROM plant_search_idx");
  expect((segments.get() as { segments: number }).segments).toBeLessThan(200);
});

test("the index is filled behind the creates, all but less than a slice", async () => {
  const mine = await newAccount(storage, ++account);
  for (let at = 0; at < 3000; at += 250)
    await plants.createMany(mine, names(3000, (at) => `Basil ${at}`).slice(at, at + 250));
  const indexer = storage.jobs.find(({ name }) => name === "search-indexer");
  while ((await indexer?.run({ now: 0, signal: new AbortController().signal })) !== QUIET_INTERVAL_MS);
  expect(inIndex(mine)).toBeGreaterThan(3000 - INDEX_SLICE_LENGTH);
  expect(await listed(mine, { q: "basil" })).toHaveLength(3000);
});
