import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { plantFilter } from "#core/plant-filter.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openForWriting } from "./connection.ts";
import { openSqlite } from "./open.ts";
import { termChooser } from "./rare-terms.ts";
import { SearchIndex } from "./search-index.ts";
import { askedTerms } from "./search-terms.ts";

const COUNT = 8000;
let database: Database;

beforeAll(async () => {
  const path = join(temporaryFolder(), "plantstore.db");
  await (await openSqlite(path)).store.close();
  database = openForWriting(path);
  const insert = database.prepare("INSERT INTO plants VALUES (?1, 1, ?1, ?2, NULL, 1, 0, 0)");
  const index = new SearchIndex(database);
  database.transaction(() => {
    for (let at = 1; at <= COUNT; at++) insert.run(at, nameOf(at));
    while (index.takeSlice() > 0);
  })();
});
afterAll(() => database.close());

/** "aloe" in every name, "fern" in every fourth, "moss" in every fifth, "rare" in every twelfth, "ivy" in every thousandth. */
function nameOf(at: number): string {
  return ["aloe", at % 4 ? "" : "fern", at % 5 ? "" : "moss", at % 12 ? "" : "rare", at % 1000 ? "" : "ivy"].join("|");
}

const terms = askedTerms(1, plantFilter({ q: "any", tag: undefined }))!;

function expression(...trigrams: string[]): string {
  return termChooser(database)({ ...terms, trigrams }, COUNT).expression;
}

test("a term on few plants is asked for alone", () => {
  expect(expression("alo", "ivy", "fer")).toBe(`("ivy") OR "${terms.longName}"`);
});

test("terms about as rare as the rarest are asked for together, rarest first", () => {
  expect(expression("fer", "ern", "mos")).toBe(
    `("mos" AND "fer" AND "ern" AND "${terms.scope}") OR "${terms.longName}"`,
  );
});

test("what is far more common than the rarest is left out", () => {
  const some = expression("rar", "alo");
  expect(some).toContain("rar");
  expect(some).not.toContain("alo");
});

test("a part that none has is asked for by what is missing", () => {
  expect(expression("alo", "zzz")).toBe(`("zzz") OR "${terms.longName}"`);
});

test("how many plants have the rarest term is known about right", () => {
  const rarest = (...trigrams: string[]) => termChooser(database)({ ...terms, trigrams }, COUNT).plants;
  expect(rarest("alo", "fer")).toBeCloseTo(COUNT / 4, -2);
  expect(rarest("alo", "ivy")).toBe(8);
  expect(rarest("zzz")).toBe(0);
});
