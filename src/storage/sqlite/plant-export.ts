import { INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { plantFromRow } from "../plant-row.ts";
import { Budget } from "./budget.ts";
import { openForReading } from "./connection.ts";
import { PlantScan } from "./plant-scan.ts";

const PAGE_ROWS = 500;
const PAGE_TEXT_UNITS = 256 * 1024;

/**
 * Every plant of an account in id order, in pages, from one snapshot: the open statement holds that state of the file
 * until the last page was read, or the reader ends.
 */
export function* exportPages(path: string, account: AccountNumber): Generator<readonly Plant[], undefined> {
  const database = openForReading(path);
  try {
    let page: Plant[] = [];
    let budget = new Budget(PAGE_ROWS, PAGE_TEXT_UNITS);
    for (const row of new PlantScan(database).byId(account, INT64_MIN)) {
      page.push(plantFromRow(row));
      if (budget.spend(row)) continue;
      yield page;
      page = [];
      budget = new Budget(PAGE_ROWS, PAGE_TEXT_UNITS);
    }
    if (page.length > 0) yield page;
  } finally {
    database.close();
  }
}
