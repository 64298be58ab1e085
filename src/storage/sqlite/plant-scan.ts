import { INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import { passes } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery, ShortPage } from "#core/records.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { ORDERS, type PlantPageRequest, pageOf, positionOf, shortPageRequest } from "../plant-page.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow, type ShortRow, shortColumns, shortPageOf } from "../plant-row.ts";
import type { Budget } from "./budget.ts";
import { asFailure } from "./errors.ts";
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

/** An account alone has two in a turn of the event loop, so that creates come between them. */
const SHORT_PAGES = THREAD_TIME.row("lists that the serving thread reads", "account, on SQLite", {
  each: 2,
  all: 4,
  waitingEach: 4096,
  waiting: 16_384,
});
/** The plants of a page may be scattered over a hundred places of a slow disk, which the system has not in its memory. */
const SHORT_PAGE_MS_MAX = 2;

/** Reads short pages on the serving thread, some in each turn of the event loop, with accounts in turn. */
export class ShortPages {
  readonly #turns = new FairQueue(SHORT_PAGES);
  readonly #statements: Record<PlantQuery["order"], ReadStatement<ShortRow, [AccountNumber, bigint]>>;

  constructor(database: ReadConnection) {
    const statement = (order: PlantQuery["order"]) => {
      const { key, from, direction } = ORDERS[order];
      return database.prepare<ShortRow, [AccountNumber, bigint]>(
        `SELECT ${shortColumns(order)} FROM plants WHERE account = ? AND ${key} ${from} ? ORDER BY plants.${key} ${direction}`,
      );
    };
    this.#statements = { id: statement("id"), "-created_at": statement("-created_at") };
  }

  async list(account: AccountNumber, query: PlantQuery): Promise<ShortPage | undefined> {
    const request = shortPageRequest(account, query);
    if (!request) return undefined;
    const read = async () => asFailure(() => this.#page(request, this.#statements[query.order]));
    return this.#turns.run(account, () => read().finally(() => new Promise(setImmediate)));
  }

  #page(request: PlantPageRequest, statement: ReadStatement<ShortRow, [AccountNumber, bigint]>): ShortPage | undefined {
    const end = performance.now() + SHORT_PAGE_MS_MAX;
    const rows: ShortRow[] = [];
    for (const row of statement.iterate(request.account, request.from)) {
      if (performance.now() > end) return undefined;
      if (rows.push(row) > request.query.limit) break;
    }
    return shortPageOf(request, rows);
  }
}
