import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { AccountNumber } from "#core/plant.ts";
import { plantFilter } from "#core/plant-filter.ts";
import type { PlantRecords } from "#core/records.ts";
import { always, newPlant } from "#test/support/plant-lists.ts";
import { openSearchedStore, type SearchedStore } from "#test/support/search-index.ts";
import { openForWriting } from "./connection.ts";
import { askedTerms, searchExpression } from "./search-terms.ts";
import { searchedRanges } from "./searched-ranges.ts";

let searched: SearchedStore;
let plants: PlantRecords;
let side: Database;
let account: AccountNumber;

beforeAll(async () => {
  searched = await openSearchedStore("sqlite");
  plants = searched.records.plants;
  side = openForWriting(searched.url.slice("sqlite:".length));
});
beforeEach(async () => {
  account = await searched.account();
});
afterAll(async () => {
  side.close();
  await searched.end();
});

/** The number of the account's plants that the index finds, without a look at the plants themselves. */
function inIndex({ q, tag }: { q?: string; tag?: string } = {}): number {
  const asked = askedTerms(account, plantFilter({ q: q ?? "any", tag }));
  if (!asked) throw new Error("the index cannot be asked for that");
  const expression = searchExpression(asked, q === undefined ? [asked.scope] : [asked.scope, ...asked.trigrams]);
  return searchedRanges(side)().flatMap(({ first, last, statements }) =>
    statements.hits.all(expression, first, last, -1),
  ).length;
}

/** The numbers of segments of the ranges, in the order of insertion numbers. */
function segments(): number[] {
  const ranges = side.query<{ range: number }, []>("SELECT range FROM plant_search_ranges ORDER BY last").all();
  return ranges.map(({ range }) => {
    const counted = side.query(`SELECT count(DISTINCT segid) AS segments FROM plant_search_${range}_idx`);
    return (counted.get() as { segments: number }).segments;
  });
}

async function add(count: number, name: string, tag?: string): Promise<void> {
  const given = Array.from({ length: count }, (_, at) => newPlant((at * 7919) % count, `${name} ${at}`, tag));
  for (let at = 0; at < count; at += 250) await plants.createMany(account, given.slice(at, at + 250));
}

async function listed(q: string): Promise<number> {
  return (await searched.reads.plants.list(account, { order: "id", limit: 1000, q, tag: undefined, after: undefined }))
    .plants.length;
}

test("a plant that was changed leaves the terms that it had, and has those of its new name and tag", async () => {
  await add(300, "Aloe", "green");
  await searched.index(100);
  expect(inIndex()).toBe(300);
  await plants.change(account, 7n, { name: "Agave", tag: null }, always);
  await searched.index(100);
  expect([inIndex({ q: "agave" }), inIndex({ q: "aloe" }), inIndex({ tag: "green" })]).toEqual([1, 299, 299]);
  await plants.remove(account, 8n, always);
  await searched.index(100);
  expect([inIndex(), inIndex({ tag: "green" })]).toEqual([299, 298]);
});

test("any number of changes at once, in any order, reaches the index, one that is refused in the middle does not", async () => {
  await add(900, "Sedum");
  for (const length of [100, 1]) await searched.index(length);
  const refuse = () => {
    throw new Error("refused");
  };
  for (let round = 0; round < 4; round++) {
    // Each plant changes twice in one transaction.
    const changes = Array.from({ length: 1800 }, (_, at) => {
      const nth = Math.floor(at / 2);
      const name = at % 2 ? `Crassula ${round} ${nth}` : "Echeveria";
      return plants.change(account, BigInt((nth * 7) % 900), { name }, nth % 9 ? always : refuse);
    });
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(200);
    await searched.index(1000);
  }
  const found = ["sedum", "crassula", "echeveria"].map((q) => inIndex({ q }));
  expect(found).toEqual([100, 800, 0]);
  expect(await listed("crassula 3")).toBe(800);
  expect(Math.max(...segments())).toBeLessThan(200);
});
