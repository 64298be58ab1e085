import type { Database, Statement } from "bun:sqlite";
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { openSqliteDatabase } from "#test/support/sqlite-database.ts";
import { PlantSearch } from "./plant-search.ts";
import { SearchIndex } from "./search-index.ts";

const COUNT = 40_000;
/** Four ranges, of which the last is not full. */
const RANGE_LENGTH = 12_000;
let database: Database;

beforeAll(async () => {
  database = await openSqliteDatabase();
  const insert = database.prepare(
    "INSERT INTO plants (number, account, id, name, created_at, updated_at) VALUES (?1, 1, ?1, ?2, 0, 0)",
  );
  const index = new SearchIndex(database, RANGE_LENGTH);
  database.transaction(() => {
    for (let at = 1; at <= COUNT; at++) insert.run(at, nameOf(at));
    database.run("INSERT INTO plant_counts (account, slot, count) VALUES (1, 0, ?)", [COUNT]);
    while (index.takeSlice() > 0);
  })();
});
afterAll(() => database.close());

/** The words, each with the number of plants of which one has it. */
const WORDS = { aloe: 1, fern: 4, moss: 5, rare: 12, monstera: 50, ivy: 5000 };

function nameOf(at: number): string {
  return Object.entries(WORDS)
    .map(([word, oneOf]) => (at % oneOf ? "" : word))
    .join("|");
}

/** The number of matches whose ids are read for sorting, for one page in the order of ids. */
function sortedMatches(limit: number): number {
  const prepared = spyOn(database, "prepare");
  const search = new PlantSearch(database);
  const statements = prepared.mock.results.map(({ value }) => value as Statement);
  prepared.mockRestore();
  const [sorted] = statements.filter((statement) => `${statement}`.startsWith("WITH positions"));
  if (!sorted) throw new Error("No statement sorts the ids of matches.");
  const reads = spyOn(sorted, "iterate");
  const page = search.page(1, { order: "id", limit, q: "monstera", tag: undefined, after: undefined });
  expect(page.plants.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, at) => BigInt(50 * (at + 1))));
  return reads.mock.calls.flatMap(([hits]) => JSON.parse(String(hits))).length;
}

test("if reading until a page is full costs less than sorting all matches, they are not sorted", () => {
  expect(sortedMatches(100)).toBe(COUNT / 50);
  expect(sortedMatches(1)).toBe(0);
});

test("newest first, those of others that match are not read where an account has few of its own", async () => {
  const shared = await openSqliteDatabase();
  const insert = shared.prepare("INSERT INTO plants VALUES (?1, ?2, ?1, ?3, NULL, 1, 0, 0)");
  const index = new SearchIndex(shared, RANGE_LENGTH);
  shared.transaction(() => {
    // Its own are so much more common than the word where all are its own that the index is not asked for them.
    for (let at = 1; at <= RANGE_LENGTH; at++) insert.run(at, 1, at % 16 ? "moss" : "fern");
    for (let at = RANGE_LENGTH + 1; at <= 2 * RANGE_LENGTH; at++) insert.run(at, at % 4000 ? 2 : 1, "fern");
    while (index.takeSlice() > 0);
  })();
  const ofRanges: ReturnType<typeof spyOn>[] = [];
  const { prepare } = shared;
  using _prepare = spyOn(shared, "prepare").mockImplementation(((text: string) => {
    const statement: Statement = prepare.call(shared, text);
    if (/MATCH.*DESC/s.test(text)) ofRanges.push(spyOn(statement, "iterate"));
    return statement;
  }) as typeof prepare);
  const query = { order: "-created_at", limit: 5, q: "fern", tag: undefined, after: undefined } as const;
  const { plants } = new PlantSearch(shared).page(1, query);
  expect(plants.map(({ id }) => id)).toEqual([24_000n, 20_000n, 16_000n, 12_000n, 11_984n]);
  expect(ofRanges.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  shared.close();
});
