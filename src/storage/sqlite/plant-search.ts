import type { Database, Statement } from "bun:sqlite";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { type PlantFilter, plantFilter } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/store.ts";
import { PLANT_COLUMNS, type PlantRow } from "../plant-row.ts";
import { Budget, sliceOf } from "./budget.ts";
import { PlantScan, pageOf } from "./plant-scan.ts";
import { searchExpression } from "./search-terms.ts";

const SCANNED_ROWS_MAX = 20_000;
const SCANNED_TEXT_UNITS_MAX = 8 * 1024 * 1024;
const SORTED_ROWS_MIN = 2000;
const SORTED_ROWS_MAX = 50_000;

interface Search {
  readonly account: AccountNumber;
  readonly query: PlantQuery;
  readonly filter: PlantFilter;
  /** What the index is asked. */
  readonly expression: string;
  /** Plants beyond this insertion number are not in the index yet. */
  readonly mark: bigint;
}

/**
 * Plants by tag and part of the name, on a connection of its own: it may take a while. What was answered before is
 * found at once: the index is asked for the plants up to its mark, and those beyond it are read themselves.
 */
export class PlantSearch {
  readonly #database: Database;
  readonly #scan: PlantScan;
  readonly #mark: Statement<{ value: bigint }, []>;
  readonly #count: Statement<{ count: number }, [AccountNumber]>;
  readonly #hits: Statement<{ hits: number }, [string, number]>;
  readonly #byId: Statement<PlantRow, [string, AccountNumber, bigint, number]>;
  readonly #newestFirst: Statement<PlantRow, [string, bigint, AccountNumber]>;

  constructor(database: Database) {
    this.#database = database;
    this.#scan = new PlantScan(database);
    this.#mark = database.prepare("SELECT value FROM counters WHERE name = 'plant_indexed'");
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
    this.#hits = database.prepare(
      "SELECT count(*) AS hits FROM (SELECT rowid FROM plant_search WHERE plant_search MATCH ? LIMIT ?)",
    );
    const columns = PLANT_COLUMNS.map((column) => `plants.${column}`);
    const found = `SELECT ${columns} FROM plant_search CROSS JOIN plants ON number = plant_search.rowid`;
    this.#byId = database.prepare(
      `${found} WHERE plant_search MATCH ? AND plants.account = ? AND id >= ? ORDER BY id LIMIT ?`,
    );
    this.#newestFirst = database.prepare(
      `${found} WHERE plant_search MATCH ? AND plant_search.rowid < ? AND plants.account = ? ORDER BY plant_search.rowid DESC`,
    );
    for (const statement of [this.#mark, this.#byId, this.#newestFirst]) statement.safeIntegers(true);
  }

  /** One page as of one moment. */
  page(account: AccountNumber, query: PlantQuery): PlantPage {
    return this.#database.transaction(() => this.#page(account, query)).deferred();
  }

  #page(account: AccountNumber, query: PlantQuery): PlantPage {
    const filter = plantFilter(query);
    if (filter.closed) return { plants: [], next: undefined };
    const expression = searchExpression(account, filter);
    if (expression === undefined) return this.#scanned(account, query, filter, SCANNED_ROWS_MAX);
    const search = { account, query, filter, expression, mark: this.#mark.get()?.value ?? 0n };
    return query.order === "id" ? this.#sortedById(search) : this.#streamedNewestFirst(search);
  }

  #scanned(account: AccountNumber, query: PlantQuery, filter: PlantFilter, rowsMax: number): PlantPage {
    return pageOf(this.#scan.inOrder(account, query), query, filter, new Budget(rowsMax, SCANNED_TEXT_UNITS_MAX));
  }

  /** The index gives insertion numbers in order, so a page is read off it until it is full. */
  #streamedNewestFirst(search: Search): PlantPage {
    const budget = new Budget(SCANNED_ROWS_MAX, SCANNED_TEXT_UNITS_MAX);
    return pageOf(this.#newestRows(search), search.query, search.filter, budget);
  }

  *#newestRows({ account, query, expression, mark }: Search): Iterable<PlantRow> {
    const { after = INT64_MAX } = query;
    yield* this.#scan.newestFirst(account, after, mark);
    yield* this.#newestFirst.iterate(expression, after <= mark ? after : mark + 1n, account);
  }

  /**
   * By id, what the index finds must be sorted for each page, or else the plants read in order until a page is full.
   * With few hits sorting is cheap, and with many a page soon fills. Changing over at the square root of limit times
   * plants bounds the cost of either to about that many plants.
   */
  #sortedById(search: Search): PlantPage {
    const { account, query, filter, expression, mark } = search;
    const plants = this.#count.get(account)?.count ?? 0;
    const sortedMax = Math.round(clamped(Math.sqrt(query.limit * plants), SORTED_ROWS_MIN, SORTED_ROWS_MAX));
    const scannedMax = Math.max(sortedMax, SCANNED_ROWS_MAX);
    const tailBudget = new Budget(SCANNED_ROWS_MAX, SCANNED_TEXT_UNITS_MAX);
    const tail = sliceOf(this.#scan.newestFirst(account, undefined, mark), tailBudget);
    const many = tailBudget.spent || (this.#hits.get(expression, sortedMax + 1)?.hits ?? 0) > sortedMax;
    if (many) return this.#scanned(account, query, filter, scannedMax);
    const after = query.after ?? INT64_MIN - 1n;
    const unindexed = tail.filter((row) => BigInt(row.id) > after).sort(byId);
    const budget = new Budget(Number.POSITIVE_INFINITY, SCANNED_TEXT_UNITS_MAX);
    return pageOf(merged(unindexed, this.#indexedById(search)), query, filter, budget);
  }

  /** In batches: what does not pass the filter after all is rare, and then one more is read. */
  *#indexedById({ account, query, expression }: Search): Iterable<PlantRow> {
    const length = query.limit + 1;
    let from = query.after === undefined ? INT64_MIN : query.after + 1n;
    while (from <= INT64_MAX) {
      const batch = this.#byId.all(expression, account, from, length);
      yield* batch;
      const last = batch[length - 1];
      if (!last) return;
      from = BigInt(last.id) + 1n;
    }
  }
}

/** Two runs of rows in id order as one. */
function* merged(first: readonly PlantRow[], second: Iterable<PlantRow>): Iterable<PlantRow> {
  let at = 0;
  for (const row of second) {
    for (let next = first[at]; next && next.id < row.id; next = first[++at]) yield next;
    yield row;
  }
  yield* first.slice(at);
}

function byId(a: PlantRow, b: PlantRow): number {
  return a.id < b.id ? -1 : 1;
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
