import type { Database, Statement } from "bun:sqlite";
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { openForWriting } from "./connection.ts";
import { openSqlite } from "./open.ts";
import { PlantSearch } from "./plant-search.ts";
import { SearchIndex } from "./search-index.ts";

const COUNT = 40_000;
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

/** The number of matches whose ids are read for sorting, for one page in the order of ids. */
function sortedMatches(limit: number): number {
  const prepared = spyOn(database, "prepare");
  const search = new PlantSearch(database);
  const statements = prepared.mock.results.map(({ value }) => value as Statement);
  prepared.mockRestore();
  const [position] = statements.filter((statement) => `${statement}`.startsWith("SELECT number, id FROM plants"));
  if (!position) throw new Error("No statement reads the ids of matches.");
  const reads = spyOn(position, "get");
  const page = search.page(1, { order: "id", limit, q: "monstera", tag: undefined, after: undefined });
  expect(page.plants.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, at) => BigInt(50 * (at + 1))));
  return reads.mock.calls.length;
}

test("if reading until a page is full costs less than sorting all matches, they are not sorted", () => {
  expect(sortedMatches(100)).toBe(COUNT / 50);
  expect(sortedMatches(1)).toBe(0);
});
