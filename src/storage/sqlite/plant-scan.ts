import { INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { passes } from "#core/plant-filter.ts";
import type { PlantPage } from "#core/records.ts";
import { type PlantPageRequest, pageOf, positionOf } from "../plant-page.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import type { Budget } from "./budget.ts";
import { exact, type ReadConnection, type ReadStatement } from "./read-connection.ts";

export class PlantScan {
  readonly #byId: ReadStatement<PlantRow, [AccountNumber, bigint]>;
  readonly #oldestFirst: ReadStatement<PlantRow, [AccountNumber, bigint]>;
  readonly #newestFirst: ReadStatement<PlantRow, [AccountNumber, bigint, bigint]>;

  constructor(database: ReadConnection) {
    const select = `SELECT ${PLANT_COLUMNS} FROM plants`;
    this.#byId = exact(database, `${select} WHERE account = ? AND id >= ? ORDER BY id`);
    this.#oldestFirst = exact(database, `${select} WHERE account = ? AND number >= ? ORDER BY number`);
    this.#newestFirst = exact(
      database,
      `${select} WHERE account = ? AND number <= ? AND number > ? ORDER BY number DESC`,
    );
  }

  inOrder({ account, query, from }: PlantPageRequest): Iterable<PlantRow> {
    if (query.order === "-created_at") return this.newestFirst(account, from, INT64_MIN);
    return (query.order === "id" ? this.#byId : this.#oldestFirst).iterate(account, from);
  }

  /** Reads down to the insertion number `until`, exclusive. */
  newestFirst(account: AccountNumber, from: bigint, until: bigint): Iterable<PlantRow> {
    return this.#newestFirst.iterate(account, from, until);
  }
}

/**
 * Reads rows until the page is full, the end is reached, or the budget is spent (the page is then short and has a next
 * one).
 */
export function scannedPage(rows: Iterable<PlantRow>, { query, filter }: PlantPageRequest, budget: Budget): PlantPage {
  const found: Plant[] = [];
  for (const row of rows) {
    const plant = plantFromRow(row);
    if (passes(filter, plant)) found.push(plant);
    if (found.length > query.limit) break;
    if (!budget.spend(row)) return pageOf(query, found, positionOf(query.order, plant));
  }
  return pageOf(query, found, undefined);
}
