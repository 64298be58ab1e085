import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, type Mock, spyOn, test } from "bun:test";
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
  const prepare = database.prepare.bind(database);
  const reads: Mock<() => unknown>[] = [];
  const prepared = spyOn(database, "prepare").mockImplementation((sql: string) => {
    const statement = prepare(sql);
    if (sql.startsWith("SELECT number, id FROM plants")) reads.push(spyOn(statement, "get"));
    return statement;
  });
  const search = new PlantSearch(database);
  prepared.mockRestore();
  const page = search.page(1, { order: "id", limit, q: "monstera", tag: undefined, after: undefined });
  expect(page.plants.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, at) => BigInt(50 * (at + 1))));
  expect(reads).toHaveLength(1);
  return reads[0]?.mock.calls.length ?? Number.NaN;
}

test("if reading until a page is full costs less than sorting all matches, they are not sorted", () => {
  expect(sortedMatches(100)).toBe(COUNT / 50);
  expect(sortedMatches(1)).toBe(0);
});
