import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AccountNumber } from "#core/plant.ts";
import { always, EVERYTHING, newPlant } from "#test/support/plant-lists.ts";
import { openSqliteDatabase } from "#test/support/sqlite-database.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { openForWriting } from "./connection.ts";
import { discardRange } from "./discarded-range.ts";
import { SearchIndex } from "./search-index.ts";

const RANGE_LENGTH = 1000;
/** Plants in two full ranges, and in a third one. */
const COUNT = 2500;

let opened: TestRecords;
let account: AccountNumber;
let side: Database;
let index: SearchIndex;

beforeEach(async () => {
  opened = await openTestRecords("sqlite");
  account = await opened.accountWith(
    Array.from({ length: COUNT }, (_, at) => newPlant(at, `Hosta ${at % 50} h`, "shade")),
  );
  side = openForWriting(opened.url.slice("sqlite:".length));
  index = new SearchIndex(side, RANGE_LENGTH);
});
afterEach(async () => {
  side.close();
  await opened.end();
});

/** One step, as the indexer takes it. */
function step<T>(take: () => T): T {
  return side.transaction(take).immediate();
}

function indexAll(): void {
  while (step(() => index.takeSlice(100)) > 0) while (step(() => index.merge()));
}

/** The rows of the ranges that have plants, with the number of segments of each. */
function ranges() {
  const rows = side
    .query<{ range: number; first: number; last: number; state: string }, []>(
      "SELECT range, first, last, state FROM plant_search_ranges WHERE first <= last ORDER BY last",
    )
    .all();
  return rows.map(({ range, ...row }) => {
    const counted = side.query(`SELECT count(DISTINCT segid) AS segments FROM plant_search_${range}_idx`).get();
    return { ...row, ...(counted as { segments: number }) };
  });
}

async function found(q: string, order: "id" | "-created_at" = "id"): Promise<number> {
  let plants = 0;
  let after: bigint | undefined;
  do {
    const page = await opened.reads.plants.list(account, { ...EVERYTHING, order, q, after });
    plants += page.plants.length;
    after = page.next;
  } while (after !== undefined);
  return plants;
}

function tables(): string[] {
  const all = side.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE name LIKE 'plant_search%'").all();
  return all.map(({ name }) => name);
}

test("a full range becomes whole beside changes that come one by one, and has few segments at any time", async () => {
  const database = await openSqliteDatabase();
  const long = new SearchIndex(database, 50_000);
  const insert = database.prepare(
    "INSERT INTO plants (number, account, id, name, created_at, updated_at) VALUES (?1, 1, ?1, 'Hosta no. ' || ?1, 0, 0)",
  );
  const rangesThere = database.query<{ range: number; state: string }, []>(
    "SELECT range, state FROM plant_search_ranges",
  );
  const state = () => rangesThere.all().at(-1)?.state;
  database.transaction(() => {
    for (let at = 1; at <= 50_000; at++) insert.run(at);
    while (state() !== "merging") long.takeSlice();
  })();
  const remove = database.prepare("DELETE FROM plants WHERE id = ?");
  const segments = database.query<{ count: number }, []>(
    "SELECT count(DISTINCT segid) AS count FROM plant_search_1_idx",
  );
  let segmentsMost = 0;
  for (let id = 1; id <= 400; id++) {
    database.transaction(() => {
      remove.run(100 * id);
      long.follow();
      if (id % 20 === 0) long.merge();
    })();
    segmentsMost = Math.max(segmentsMost, segments.get()?.count ?? 0);
  }
  expect(state()).toBe("whole");
  // Changes begin to merge at 128 writes; FTS5 allows 2,000 segments.
  expect(segmentsMost).toBeLessThan(200);
  database.close();
});

test("a range of which a quarter was changed or removed is merged once more, and one without plants leaves nothing", async () => {
  indexAll();
  for (let id = 0; id < 1000; id++) {
    if (id < 300) await opened.records.plants.change(account, BigInt(1000 + id), { name: "Funkia" }, always);
    await opened.records.plants.remove(account, BigInt(id), always);
  }
  while (step(() => index.follow()) > 0);
  while (step(() => index.merge()));
  expect(ranges()).toMatchObject([{ first: 1001, state: "whole" }, { first: 2001 }]);
  expect([await found("hosta"), await found("funkia")]).toEqual([1200, 300]);
  const unused = side.query("SELECT range FROM plant_search_ranges WHERE first > last").all() as { range: number }[];
  for (const { range } of unused) discardRange(side.filename, range);
  while (step(() => index.tidy()));
  expect(unused.map(({ range }) => range)).toContain(1);
  expect(tables().filter((name) => /^plant_search_(?:0|1|discarded)/.test(name))).toEqual([]);
  expect(side.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
});
