import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import { Budget, sliceOf } from "./budget.ts";
import { searchTerms } from "./search-terms.ts";

/** The number of plants indexed in one step, which takes about 2 ms of the serving thread. */
export const INDEX_SLICE_LENGTH = 512;
const SLICE_TEXT_UNITS_MAX = 64 * 1024;
/** From this many on, a change merges segments itself: the indexer, which starts at half of it, does not keep up. */
const UNMERGED_WRITES_MAX = 128;
const CHANGES_FOR_A_MERGE = 64;
const MERGED_PAGES = 4;

/** The columns of a plant that the index uses. */
export interface IndexedPlant {
  readonly number: bigint | number;
  readonly account: AccountNumber;
  readonly name: string;
  readonly tag: string | null;
}

/** A plant as the index has it, and as the index should have it; `after` is undefined if the plant is removed. */
interface SearchChange {
  readonly before: IndexedPlant;
  readonly after: IndexedPlant | undefined;
}

/**
 * The search index: trigrams of every plant up to the mark (an insertion number). Creates never touch it; the indexer
 * adds plants later, slice by slice, and a search reads the plants beyond the mark directly. Everything here runs
 * inside a transaction of the committer.
 */
export class SearchIndex {
  readonly #statements: ReturnType<typeof statementsOn>;
  /**
   * The changes of indexed plants in one transaction, held until its end. FTS5 makes a segment for each savepoint and
   * for each step back in the insertion numbers, and allows at most 2,000 segments; so they are written at once, in
   * order.
   */
  #changes: SearchChange[] = [];
  /** The number of transactions that wrote to the index since its segments were last merged. */
  unmergedWrites = 0;

  constructor(database: Database) {
    this.#statements = statementsOn(database);
  }

  mark(): number {
    return this.#statements.readMark.get()?.value ?? 0;
  }

  /** Indexes the plants after the mark, few enough for the serving thread, and returns their number. */
  takeSlice(lengthMax = INDEX_SLICE_LENGTH): number {
    const slice = sliceOf(
      this.#statements.beyondMark.iterate(this.mark()),
      new Budget(lengthMax, SLICE_TEXT_UNITS_MAX),
    );
    for (const plant of slice) this.#write(this.#statements.add, plant);
    const last = slice.at(-1);
    if (last) {
      this.#statements.keepMark.run(last.number);
      this.#statements.flush.run();
      this.unmergedWrites++;
    }
    return slice.length;
  }

  /** Called at the start of each transaction. */
  begin(): void {
    this.#changes = [];
  }

  /** Notes that an indexed plant is changed or removed; the index is updated at the end of the transaction. */
  change(before: IndexedPlant, after: IndexedPlant | undefined): void {
    if (before.number <= this.mark()) this.#changes.push({ before, after });
  }

  /** Returns a function that undoes the changes noted since, for when a part of the transaction is rolled back. */
  markChanges(): () => void {
    const { length } = this.#changes;
    return () => {
      this.#changes.length = length;
    };
  }

  /**
   * Must be called before the commit. It also merges if merging falls behind, since the number of segments is limited.
   */
  finish(): void {
    if (this.#changes.length === 0) return;
    const changes = inOrder(this.#changes);
    for (const { before, after } of changes) {
      this.#write(this.#statements.drop, before);
      if (after) this.#write(this.#statements.add, after);
    }
    this.unmergedWrites++;
    if (this.unmergedWrites < UNMERGED_WRITES_MAX) return;
    for (let at = 0; at <= changes.length; at += CHANGES_FOR_A_MERGE) this.merge();
  }

  /**
   * Takes one step in merging the index's segments, so that a search reads few of them. Only the number of changed rows
   * shows that nothing was left to merge (https://www.sqlite.org/fts5.html, 6.8).
   */
  merge(): void {
    const before = this.#statements.totalChanges.get()?.changes ?? 0;
    this.#statements.merge.run(MERGED_PAGES);
    if ((this.#statements.totalChanges.get()?.changes ?? 0) - before < 2) this.unmergedWrites = 0;
  }

  #write(statement: Statement, plant: IndexedPlant): void {
    const { account, name, tag } = searchTerms(plant.account, plant.name, plant.tag);
    statement.run(plant.number, account, name, tag);
  }
}

function statementsOn(database: Database) {
  return {
    readMark: database.prepare<{ value: number }, []>("SELECT value FROM counters WHERE name = 'plant_indexed'"),
    keepMark: database.prepare("UPDATE counters SET value = ? WHERE name = 'plant_indexed'"),
    beyondMark: database.prepare<IndexedPlant, [number]>(
      "SELECT number, account, name, tag FROM plants WHERE number > ? ORDER BY number",
    ),
    add: database.prepare("INSERT INTO plant_search (rowid, account, name, tag) VALUES (?, ?, ?, ?)"),
    drop: database.prepare(
      "INSERT INTO plant_search (plant_search, rowid, account, name, tag) VALUES ('delete', ?, ?, ?, ?)",
    ),
    flush: database.prepare("INSERT INTO plant_search (plant_search) VALUES ('flush')"),
    merge: database.prepare("INSERT INTO plant_search (plant_search, rank) VALUES ('merge', ?)"),
    totalChanges: database.prepare<{ changes: number }, []>("SELECT total_changes() AS changes"),
  };
}

/** One change for each plant, ordered by insertion number. */
function inOrder(changes: readonly SearchChange[]): SearchChange[] {
  const byPlant = new Map<number, SearchChange>();
  for (const { before, after } of changes) {
    const number = Number(before.number);
    byPlant.set(number, { before: byPlant.get(number)?.before ?? before, after });
  }
  return [...byPlant].sort(([a], [b]) => a - b).map(([, change]) => change);
}
