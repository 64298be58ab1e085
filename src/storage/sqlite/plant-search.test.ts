import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { openForWriting } from "./connection.ts";
import { openSqlite } from "./open.ts";
import { PlantSearch } from "./plant-search.ts";
import { SearchIndex } from "./search-index.ts";

const COUNT = 40_000;
const ROUNDS = 21;
let database: Database;

beforeAll(async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  await (await openSqlite(path)).store.close();
  database = openForWriting(path);
  const insert = database.prepare("INSERT INTO plants VALUES (?1, 1, ?1, ?2, NULL, 1, 0, 0)");
  const index = new SearchIndex(database);
  database.transaction(() => {
    for (let at = 1; at <= COUNT; at++) insert.run(at, `${at % 50 ? "Ficus" : "Monstera"} ${at}`);
    database.run("INSERT INTO plant_counts (account, slot, count) VALUES (1, 0, ?)", [COUNT]);
    while (index.takeSlice() > 0);
    database.run("UPDATE counters SET value = ? WHERE name = 'plant_indexed'", [COUNT]);
  })();
});
afterAll(() => database.close());

/** Milliseconds of a page in the order of ids, the median of some. */
function pageMs(search: PlantSearch, limit: number): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    const page = search.page(1, { order: "id", limit, q: "monstera", tag: undefined, after: undefined });
    expect(page.plants.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, at) => BigInt(50 * (at + 1))));
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

test("if reading until a page is full costs less than sorting all matches, they are not sorted", () => {
  const search = new PlantSearch(database);
  const sorted = pageMs(search, 100);
  expect(pageMs(search, 1)).toBeLessThan(sorted / 2);
});
