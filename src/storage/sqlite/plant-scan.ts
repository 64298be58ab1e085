import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { type PlantFilter, passes } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import type { Budget } from "./budget.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";

type Order = PlantQuery["order"];

/** Reads an account's plants in order, from any position at the same cost. */
export class PlantScan {
  readonly #byId: ReadStatement<PlantRow, [AccountNumber, bigint]>;
  readonly #newestFirst: ReadStatement<PlantRow, [AccountNumber, bigint, bigint]>;

  constructor(database: ReadConnection) {
    const select = `SELECT ${PLANT_COLUMNS} FROM plants`;
    this.#byId = database.prepare(`${select} WHERE account = ? AND id >= ? ORDER BY id`);
    this.#newestFirst = database.prepare(
      `${select} WHERE account = ? AND number < ? AND number > ? ORDER BY number DESC`,
    );
    this.#byId.safeIntegers(true);
    this.#newestFirst.safeIntegers(true);
  }

  inOrder(account: AccountNumber, { order, after }: Pick<PlantQuery, "order" | "after">): Iterable<PlantRow> {
    return order === "id" ? this.byId(account, after) : this.newestFirst(account, after, INT64_MIN);
  }

  byId(account: AccountNumber, after: bigint | undefined): Iterable<PlantRow> {
    if (after === INT64_MAX) return [];
    return this.#byId.iterate(account, after === undefined ? INT64_MIN : after + 1n);
  }

  /** Down to the insertion number `until`, which is left out. */
  newestFirst(account: AccountNumber, after: bigint | undefined, until: bigint): Iterable<PlantRow> {
    return this.#newestFirst.iterate(account, after ?? INT64_MAX, until);
  }
}

/** Reads rows until the page is full, the budget is spent (the page is short then, and has a next one), or the end. */
export function pageOf(
  rows: Iterable<PlantRow>,
  { order, limit }: Pick<PlantQuery, "order" | "limit">,
  filter: PlantFilter,
  budget: Budget,
): PlantPage {
  const plants: Plant[] = [];
  let last: bigint | undefined;
  for (const row of rows) {
    const plant = plantFromRow(row);
    if (passes(filter, plant)) {
      if (plants.length === limit) return { plants, next: last };
      plants.push(plant);
    }
    last = position(order, plant);
    if (!budget.spend(row)) return { plants, next: last };
  }
  return { plants, next: undefined };
}

function position(order: Order, plant: Plant): bigint {
  return order === "id" ? plant.id : plant.number;
}
