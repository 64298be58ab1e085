import type { Database } from "bun:sqlite";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { CountedSlice } from "#core/reads.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/store.ts";
import {
  EMPTY_PAGE,
  LISTED_TEXT_MAX,
  type PlantPageRequest,
  pageRequest,
  SCANNED_ROWS_MAX,
  SCANNED_TEXT_MAX,
} from "../plant-page.ts";
import { PLANT_COLUMNS, type PlantRow } from "../plant-row.ts";
import { Budget, sliceOf } from "./budget.ts";
import { PlantLookup } from "./plant-lookup.ts";
import { PlantScan, scannedPage } from "./plant-scan.ts";
import { type Choice, termChooser } from "./rare-terms.ts";
import { exact } from "./read-connection.ts";
import { askedTerms } from "./search-terms.ts";

/** Matches are dense if one plant in this many may match. */
const THICK_ONE_OF = 32;
const SORTED_ROWS_MIN = 2000;
const SORTED_ROWS_MAX = 100_000;

interface Search extends PlantPageRequest {
  readonly choice: Choice;
  /** Plants beyond this insertion number are not in the index yet. */
  readonly mark: bigint;
}

interface Position {
  readonly number: bigint;
  readonly id: bigint;
}

/**
 * Finds plants by tag and words of the name, on a connection of its own, since it may take a while. Every acknowledged
 * write is found at once: the index gives the plants up to its mark, and those beyond it are read directly.
 */
export class PlantSearch {
  readonly #scan: PlantScan;
  readonly #plants: PlantLookup;
  readonly #chooseTerms: ReturnType<typeof termChooser>;
  readonly #statements: ReturnType<typeof statementsOn>;

  constructor(private readonly database: Database) {
    this.#scan = new PlantScan(database);
    this.#plants = new PlantLookup(database);
    this.#chooseTerms = termChooser(database);
    this.#statements = statementsOn(database);
  }

  page(account: AccountNumber, query: PlantQuery): PlantPage {
    return this.database.transaction(() => this.#page(account, query)).deferred();
  }

  /** The matches among the next plants, newest first; it reads as many as a page may read. */
  countSlice(account: AccountNumber, filter: PlantChoice, after: bigint | undefined): CountedSlice {
    const { tag, q } = filter;
    const { plants, next } = this.page(account, { order: "-created_at", limit: SCANNED_ROWS_MAX, tag, q, after });
    return { count: plants.length, next };
  }

  #page(account: AccountNumber, query: PlantQuery): PlantPage {
    const request = pageRequest(account, query);
    if (!request) return EMPTY_PAGE;
    const asked = askedTerms(account, request.filter);
    if (!asked) return this.#scanned(request, SCANNED_ROWS_MAX);
    const mark = this.#statements.mark.get()?.value ?? 0n;
    const search = { ...request, mark, choice: this.#chooseTerms(asked, Number(mark)) };
    return query.order === "id" ? this.#inIdOrder(search) : this.#streamedNewestFirst(search);
  }

  #scanned(request: PlantPageRequest, rowsMax: number): PlantPage {
    const textMax = request.filter.open ? LISTED_TEXT_MAX : SCANNED_TEXT_MAX;
    return scannedPage(this.#scan.inOrder(request), request, new Budget(rowsMax, textMax));
  }

  /** The index returns insertion numbers in order, so a page is read from it until it is full. */
  #streamedNewestFirst(search: Search): PlantPage {
    return scannedPage(this.#newestRows(search), search, new Budget(SCANNED_ROWS_MAX, SCANNED_TEXT_MAX));
  }

  *#newestRows({ account, from, choice, mark }: Search): Iterable<PlantRow> {
    yield* this.#scan.newestFirst(account, from, mark);
    yield* this.#statements.newestFirst.iterate(choice.expression, from < mark ? from : mark, account);
  }

  /**
   * If matches are dense, a page soon fills without the index. The same holds if sorting them all would cost twice as much
   * as reading until a page is full, provided that they are spread evenly. With more plants beyond the mark than may be
   * read for a page the index is of no use, since any of them may come first.
   */
  #inIdOrder(search: Search): PlantPage {
    const { account, query, choice, mark } = search;
    if (this.#statements.beyondTail.get(account, mark)) return this.#scanned(search, SCANNED_ROWS_MAX);
    const plants = this.#plants.count(account);
    const readForPage = (query.limit * plants) / choice.plants;
    if (choice.plants * THICK_ONE_OF > plants || choice.plants > 2 * readForPage) {
      const rowsMax = Math.max(query.limit * THICK_ONE_OF, Math.min(readForPage, SCANNED_ROWS_MAX / 2)) * 2;
      const page = this.#scanned(search, rowsMax);
      if (page.plants.length === query.limit || page.next === undefined) return page;
    }
    return this.#sortedById(search, plants);
  }

  /**
   * Either the index's matches are sorted by id for each page, or plants are read in order until a page is full. With
   * few matches sorting is cheap, and with many a page fills soon. Switching at twice the square root of limit times
   * plants bounds the cost of either to about that many plants.
   */
  #sortedById(search: Search, plants: number): PlantPage {
    const { account, query, from, choice, mark } = search;
    const sortedMax = Math.round(clamped(2 * Math.sqrt(query.limit * plants), SORTED_ROWS_MIN, SORTED_ROWS_MAX));
    const tailBudget = new Budget(SCANNED_ROWS_MAX, SCANNED_TEXT_MAX);
    const tail = sliceOf(this.#scan.newestFirst(account, INT64_MAX, mark), tailBudget);
    const hits = tailBudget.spent ? [] : this.#statements.hits.all(choice.expression, sortedMax + 1);
    if (tailBudget.spent || hits.length > sortedMax)
      return this.#scanned(search, Math.max(sortedMax / 2, SCANNED_ROWS_MAX));
    const positions = hits
      .map(({ rowid }) => this.#statements.position.get(rowid, account, from))
      .filter((position) => position !== null);
    const unindexed = tail.filter((row) => BigInt(row.id) >= from).sort(byId);
    const budget = new Budget(Number.POSITIVE_INFINITY, SCANNED_TEXT_MAX);
    return scannedPage(merged(unindexed, this.#plantsAt(positions.sort(byId))), search, budget);
  }

  *#plantsAt(positions: readonly Position[]): Iterable<PlantRow> {
    for (const { number } of positions) {
      const row = this.#statements.plant.get(number);
      if (row) yield row;
    }
  }
}

function statementsOn(database: Database) {
  const columns = PLANT_COLUMNS.map((column) => `plants.${column}`);
  return {
    mark: exact<{ value: bigint }, []>(database, "SELECT value FROM counters WHERE name = 'plant_indexed'"),
    beyondTail: database.prepare<{ number: number }, [AccountNumber, bigint]>(
      `SELECT number FROM plants WHERE account = ? AND number > ? LIMIT 1 OFFSET ${SCANNED_ROWS_MAX}`,
    ),
    hits: exact<{ rowid: bigint }, [string, number]>(
      database,
      "SELECT rowid FROM plant_search WHERE plant_search MATCH ? LIMIT ?",
    ),
    position: exact<Position, [bigint, AccountNumber, bigint]>(
      database,
      "SELECT number, id FROM plants WHERE number = ? AND account = ? AND id >= ?",
    ),
    plant: exact<PlantRow, [bigint]>(database, `SELECT ${PLANT_COLUMNS} FROM plants WHERE number = ?`),
    newestFirst: exact<PlantRow, [string, bigint, AccountNumber]>(
      database,
      `SELECT ${columns} FROM plant_search CROSS JOIN plants ON number = plant_search.rowid WHERE plant_search MATCH ? AND plant_search.rowid <= ? AND plants.account = ? ORDER BY plant_search.rowid DESC`,
    ),
  };
}

function* merged(first: readonly PlantRow[], second: Iterable<PlantRow>): Iterable<PlantRow> {
  let at = 0;
  for (const row of second) {
    for (let next = first[at]; next && next.id < row.id; next = first[++at]) yield next;
    yield row;
  }
  yield* first.slice(at);
}

function byId(a: Pick<PlantRow, "id">, b: Pick<PlantRow, "id">): number {
  return a.id < b.id ? -1 : 1;
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
