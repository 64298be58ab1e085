import type { Database } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantPage, PlantQuery } from "#core/records.ts";
import {
  EMPTY_PAGE,
  LISTED_TEXT_MAX,
  type PlantPageRequest,
  pageRequest,
  SCANNED_ROWS_MAX,
  SCANNED_TEXT_MAX,
} from "../plant-page.ts";
import { COUNT_PLANTS, PLANT_COLUMNS, type PlantRow } from "../plant-row.ts";
import { Budget } from "./budget.ts";
import { PlantScan, scannedPage } from "./plant-scan.ts";
import { type Choice, chosenTerms } from "./rare-terms.ts";
import { exact } from "./read-connection.ts";
import { askedTerms } from "./search-terms.ts";
import { type SearchedRange, searchedRanges } from "./searched-ranges.ts";

/** Matches are dense if one plant in this many may match. */
const THICK_ONE_OF = 32;
const SORTED_ROWS_MIN = 2000;
const SORTED_ROWS_MAX = 100_000;
/** FTS5 takes 1.4 times as long to walk a list backwards, which few hits of a range are not worth. */
const FEW_HITS_MAX = 64;
/** Up to how many plants of an account in a range are read one by one: most index hits there belong to others. */
const FEW_OWN_MAX = 1000;

interface Search extends PlantPageRequest {
  readonly choice: Choice;
  readonly ranges: readonly SearchedRange[];
  /** Plants beyond this insertion number are not in the index yet. */
  readonly mark: bigint;
  /** The indexed plants that were changed or removed since the index followed, by their insertion numbers, in order. */
  readonly changed: readonly number[];
}

/**
 * Finds plants by tag and words of the name, on a connection of its own, since it may take a while. Every acknowledged
 * write is found at once: the index gives the plants up to its mark; those beyond it, and those that were changed since, are
 * read directly.
 */
export class PlantSearch {
  readonly #scan: PlantScan;
  readonly #ranges: () => readonly SearchedRange[];
  readonly #statements: ReturnType<typeof statementsOn>;

  constructor(private readonly database: Database) {
    this.#scan = new PlantScan(database);
    this.#ranges = searchedRanges(database);
    this.#statements = statementsOn(database);
  }

  page(account: AccountNumber, query: PlantQuery): PlantPage {
    return this.database.transaction(() => this.#page(account, query)).deferred();
  }

  #page(account: AccountNumber, query: PlantQuery): PlantPage {
    const request = pageRequest(account, query);
    if (!request) return EMPTY_PAGE;
    const asked = askedTerms(account, request.filter);
    const changed = this.#statements.changed.all(account).map(({ number }) => number);
    if (!asked || changed.length > SCANNED_ROWS_MAX) return this.#scanned(request, SCANNED_ROWS_MAX);
    const ranges = this.#ranges();
    const mark = BigInt(ranges.at(-1)?.last ?? 0);
    const search = { ...request, ranges, mark, changed, choice: chosenTerms(asked, ranges) };
    return query.order === "id" ? this.#inIdOrder(search) : this.#streamedNewestFirst(search);
  }

  #scanned(request: PlantPageRequest, rowsMax: number): PlantPage {
    const textMax = request.filter.open ? LISTED_TEXT_MAX : SCANNED_TEXT_MAX;
    return scannedPage(this.#scan.inOrder(request), request, new Budget(rowsMax, textMax));
  }

  /** Ranges return insertion numbers in order, so a page is read from one after the other until it is full. */
  #streamedNewestFirst(search: Search): PlantPage {
    return scannedPage(this.#newestRows(search), search, new Budget(SCANNED_ROWS_MAX, SCANNED_TEXT_MAX));
  }

  *#newestRows(search: Search): Iterable<PlantRow> {
    const { account, from, mark, changed } = search;
    yield* this.#scan.newestFirst(account, from, mark);
    const reached = changed.filter((number) => number <= from).map((rowid) => ({ rowid }));
    yield* newestOfBoth(this.#newestIndexed(search), this.#read(account, reached.reverse()));
  }

  *#newestIndexed({ account, from, choice, ranges }: Search): Iterable<PlantRow> {
    for (const { first, last, statements } of ranges.toReversed()) {
      if (from < first) continue;
      const end = from < last ? from : last;
      const hits = statements.hits.all(choice.expression, first, end, FEW_HITS_MAX + 1);
      if (hits.length <= FEW_HITS_MAX) yield* this.#read(account, hits.reverse());
      else if (!this.#statements.beyondFew.get(account, first, end))
        yield* this.#scan.newestFirst(account, BigInt(end), BigInt(first) - 1n);
      else yield* statements.newestFirst.iterate(choice.expression, first, end, account);
    }
  }

  *#read(account: AccountNumber, hits: readonly { readonly rowid: number }[]): Iterable<PlantRow> {
    for (const { rowid } of hits) yield* this.#statements.byNumber.all(rowid, account);
  }

  /**
   * If matches are dense, a page soon fills without the index. The same holds if sorting them all would cost twice as much
   * as reading until a page is full, provided that they are spread evenly. With more plants beyond the mark than may be
   * read for a page the index is of no use, since any of them may come first.
   */
  #inIdOrder(search: Search): PlantPage {
    const { account, query, choice, mark } = search;
    if (this.#statements.beyondTail.get(account, mark)) return this.#scanned(search, SCANNED_ROWS_MAX);
    const plants = this.#statements.count.get(account)?.count ?? 0;
    const found = choice.plants();
    const readForPage = (query.limit * plants) / found;
    if (found * THICK_ONE_OF > plants || found > 2 * readForPage) {
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
    const { account, query, from, mark } = search;
    const sortedMax = Math.round(clamped(2 * Math.sqrt(query.limit * plants), SORTED_ROWS_MIN, SORTED_ROWS_MAX));
    const hits = [...new Set([...firstHits(search, sortedMax + 1), ...search.changed])];
    if (hits.length > sortedMax) return this.#scanned(search, Math.max(sortedMax / 2, SCANNED_ROWS_MAX));
    const rows = this.#statements.sortedById.iterate(JSON.stringify(hits), account, mark, from);
    return scannedPage(rows, search, new Budget(Number.POSITIVE_INFINITY, SCANNED_TEXT_MAX));
  }
}

function statementsOn(database: Database) {
  const columns = PLANT_COLUMNS.map((column) => `plants.${column}`);
  return {
    changed: database.prepare<{ number: number }, [AccountNumber]>(
      `SELECT number FROM plant_search_changes WHERE account = ? ORDER BY number LIMIT ${SCANNED_ROWS_MAX + 1}`,
    ),
    count: database.prepare<{ count: number }, [AccountNumber]>(COUNT_PLANTS),
    beyondTail: database.prepare<{ number: number }, [AccountNumber, bigint]>(
      `SELECT number FROM plants WHERE account = ? AND number > ? LIMIT 1 OFFSET ${SCANNED_ROWS_MAX}`,
    ),
    beyondFew: database.prepare<{ 1: number }, [AccountNumber, number, number | bigint]>(
      `SELECT 1 FROM plants INDEXED BY plants_number WHERE account = ? AND number BETWEEN ? AND ? LIMIT 1 OFFSET ${FEW_OWN_MAX}`,
    ),
    byNumber: exact<PlantRow, [number, AccountNumber]>(
      database,
      `SELECT ${columns} FROM plants WHERE number = ? AND account = ?`,
    ),
    // The ids alone are sorted, since a single name may have a million characters.
    sortedById: exact<PlantRow, [string, AccountNumber, bigint, bigint]>(
      database,
      `WITH positions AS MATERIALIZED (
         SELECT number, plants.id FROM json_each(?1) AS hit CROSS JOIN plants ON number = hit.value WHERE account = ?2 AND plants.id >= ?4
         UNION ALL SELECT number, id FROM plants INDEXED BY plants_number WHERE account = ?2 AND number > ?3 AND id >= ?4
         ORDER BY 2
       ) SELECT ${columns} FROM positions CROSS JOIN plants ON plants.number = positions.number ORDER BY positions.id`,
    ),
  };
}

/** The rows of both, the newest first and each once. */
function* newestOfBoth(rows: Iterable<PlantRow>, others: Iterable<PlantRow>): Iterable<PlantRow> {
  const rest = others[Symbol.iterator]();
  let next = rest.next();
  for (const row of rows) {
    for (; !next.done && next.value.number >= row.number; next = rest.next())
      if (next.value.number > row.number) yield next.value;
    yield row;
  }
  for (; !next.done; next = rest.next()) yield next.value;
}

/** Insertion numbers, in order. */
function firstHits({ choice, ranges }: Search, hitsMax: number): number[] {
  const hits: number[] = [];
  for (const { first, last, statements } of ranges) {
    if (hits.length === hitsMax) break;
    for (const { rowid } of statements.hits.all(choice.expression, first, last, hitsMax - hits.length))
      hits.push(rowid);
  }
  return hits;
}

function clamped(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
