import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import { Budget, sliceOf } from "./budget.ts";
import { emptyDiscarded } from "./discarded-range.ts";
import { RangeStatements } from "./range-statements.ts";
import { rangeTable, searchTable } from "./search-table.ts";
import { searchTerms } from "./search-terms.ts";
import { TagCounter } from "./tag-counts.ts";

/**
 * The insertion numbers of a range. A merge ends its steps only between two terms, and rewrites the list of a term in 22 ns
 * a plant: a term that all plants of a range have takes 6 ms.
 */
const RANGE_LENGTH = 2 ** 18;
/** The number of plants indexed in one step, which takes about 2 ms of the serving thread. */
export const INDEX_SLICE_LENGTH = 512;
const SLICE_TEXT_UNITS_MAX = 64 * 1024;
/** FTS5 allows no more than 16. */
export const MERGED_SEGMENTS = 16;
/** How many segments of similar size are merged while a full range is merged into one segment. */
const MERGED_SEGMENTS_MIN = 2;
const MERGED_PAGES = 16;
/** How many unmerged writes make each further change merge segments too. The indexer, which starts at an eighth of that, lags. */
const UNMERGED_WRITES_MAX = 128;
const CHANGES_FOR_A_MERGE = 256;
/** How many changes a step indexes, in about 5 ms of the serving thread. */
const FOLLOWED_MAX = 256;
const FOLLOWED_TEXT_UNITS_MAX = 1024 * 1024;

/** The columns of a plant that the index uses. */
interface IndexedPlant {
  readonly number: bigint | number;
  readonly account: AccountNumber;
  readonly name: string;
  readonly tag: string | null;
}

/** A plant as the index has it, and its name and tag now; the name is null if the plant was removed. */
interface ChangedPlant extends IndexedPlant {
  readonly newName: string | null;
  readonly newTag: string | null;
}

/** The state of a range on which its next step depends. */
interface Range {
  readonly range: number;
  readonly state: "filling" | "merging" | "whole";
  readonly first: number;
  readonly last: number;
  readonly until: number;
  readonly writes: number;
}

/**
 * The search index: trigrams of every plant up to the mark (an insertion number), in ranges of insertion numbers, each a
 * table of its own that is merged into one segment when it is full. Neither creates nor changes touch it. The indexer adds
 * plants and follows changes later, slice by slice; a search reads what the index lacks directly. Everything here runs inside
 * a transaction of the committer.
 */
export class SearchIndex {
  readonly #statements: ReturnType<typeof statementsOn>;
  readonly #tables: RangeStatements<ReturnType<typeof tableStatements>>;
  readonly #tags: TagCounter;

  constructor(
    private readonly database: Database,
    private readonly rangeLength = RANGE_LENGTH,
  ) {
    this.#statements = statementsOn(database);
    this.#tags = new TagCounter(database);
    this.#tables = new RangeStatements((table) => tableStatements(database, table));
  }

  mark(): number {
    return this.#statements.mark.get()?.last ?? 0;
  }

  /** Indexes the plants after the mark, few enough for the serving thread. Returns by how much the mark rose. */
  takeSlice(lengthMax = INDEX_SLICE_LENGTH): number {
    const mark = this.mark();
    return this.#fill(mark, lengthMax) - mark;
  }

  /**
   * Brings the index up to date with plants that were changed or removed, in order, since FTS5 makes a segment for each step
   * back in the numbers. Returns the number of plants; 0 means that it is up to date.
   */
  follow(): number {
    const changes = sliceOf(this.#statements.changes.iterate(), new Budget(FOLLOWED_MAX, FOLLOWED_TEXT_UNITS_MAX));
    let range: Range | null = null;
    const byRange = Map.groupBy(changes, ({ number }) => {
      // They are in order, so that most are in the range of the one before.
      if (!range || number > range.last) range = this.#statements.rangeOf.get(number);
      return range && number >= range.first ? range.range : undefined;
    });
    for (const [range, changed] of byRange) if (range !== undefined) this.#change(range, changed);
    for (const { account, tag, newTag, newName } of changes) {
      if (newName !== null && newTag === tag) continue;
      this.#tags.add({ account, tag }, -1);
      if (newName !== null) this.#tags.add({ account, tag: newTag }, 1);
    }
    this.#tags.write();
    const last = changes.at(-1);
    if (last) this.#statements.followed.run(last.number);
    return changes.length;
  }

  /** Takes one step in merging the segments of a range, so that a search reads few of them. False if none is due. */
  merge(): boolean {
    const range = this.#statements.toMerge.get();
    if (range) this.#merge(range);
    return range !== null;
  }

  /** Takes one step in removing what is not searched any more. False if none is due. */
  tidy(): boolean {
    return emptyDiscarded(this.database);
  }

  /** Indexes plants after a number, in the range that ends there or a new one. Returns the number that it came to. */
  #fill(after: number, lengthMax: number): number {
    if (this.follow() > 0) return after;
    const range = this.#statements.filling.get(after) ?? this.#open(after);
    const plants = this.#statements.plants.iterate(after, range.until);
    const slice = sliceOf(plants, new Budget(lengthMax, SLICE_TEXT_UNITS_MAX));
    const { add, flush } = this.#tables.of(range.range);
    for (const plant of slice) {
      write(add, plant);
      this.#tags.add(plant, 1);
    }
    this.#tags.write();
    if (slice.length > 0) flush.run();
    const read = Number(slice.at(-1)?.number ?? after);
    const last = this.#statements.isMore.get(read, range.until) ? read : Math.max(read, this.#settled(range.until));
    this.#statements.filled.run(last, slice.length, range.range);
    return last;
  }

  /** Up to here no plant will get a number any more. */
  #settled(until: number): number {
    return Math.min(until, this.#statements.lastNumber.get()?.value ?? 0);
  }

  #open(after: number): Pick<Range, "range" | "until"> {
    this.#tables.keep(this.#statements.all.all());
    const opened = { range: this.#statements.newRange.get()?.range ?? 0, until: after + this.rangeLength };
    for (const sql of searchTable(rangeTable(opened.range), MERGED_SEGMENTS)) this.database.run(sql);
    this.#statements.open.run(opened.range, after + 1, after, opened.until);
    return opened;
  }

  /** It also merges if merging falls behind, since FTS5 allows at most 2,000 segments. */
  #change(number: number, changed: readonly ChangedPlant[]): void {
    const { drop, add } = this.#tables.of(number);
    for (const { newName, newTag, ...plant } of changed) {
      write(drop, plant);
      if (newName !== null) write(add, { ...plant, name: newName, tag: newTag });
    }
    const removed = changed.filter(({ newName }) => newName === null).length;
    const range = this.#statements.changed.get(changed.length, removed, number);
    if (!range || range.writes < UNMERGED_WRITES_MAX) return;
    for (let at = 0; at <= changed.length; at += CHANGES_FOR_A_MERGE) this.#merge(range);
  }

  /**
   * Only the number of changed rows shows that nothing was left to merge (https://www.sqlite.org/fts5.html, 6.8). A negative
   * number of pages puts all segments on one level, to be merged into one. Put there at each step, those that changes have
   * added meanwhile would begin the merge anew, and it would never end.
   */
  #merge({ range, state }: Pick<Range, "range" | "state">): void {
    const { merge, mergeFrom, mergesFrom } = this.#tables.of(range);
    const ofAll = state === "merging";
    const begins = ofAll && mergesFrom.get()?.segments !== MERGED_SEGMENTS_MIN;
    if (begins) mergeFrom.run(MERGED_SEGMENTS_MIN);
    const before = this.#statements.totalChanges.get()?.changes ?? 0;
    merge.run(begins ? -MERGED_PAGES : MERGED_PAGES);
    if ((this.#statements.totalChanges.get()?.changes ?? 0) - before >= 2) return;
    if (ofAll) mergeFrom.run(MERGED_SEGMENTS);
    this.#statements.merged.run(range);
  }
}

function write(statement: Statement, plant: IndexedPlant): void {
  const { account, name, tag } = searchTerms(plant.account, plant.name, plant.tag);
  statement.run(plant.number, account, name, tag);
}

function tableStatements(database: Database, table: string) {
  return {
    add: database.prepare(`INSERT INTO ${table} (rowid, account, name, tag) VALUES (?, ?, ?, ?)`),
    drop: database.prepare(`INSERT INTO ${table} (${table}, rowid, account, name, tag) VALUES ('delete', ?, ?, ?, ?)`),
    flush: database.prepare(`INSERT INTO ${table} (${table}) VALUES ('flush')`),
    merge: database.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`),
    mergeFrom: database.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('usermerge', ?)`),
    mergesFrom: database.prepare<{ segments: number }, []>(
      `SELECT v AS segments FROM ${table}_config WHERE k = 'usermerge'`,
    ),
  };
}

function statementsOn(database: Database) {
  const ranges = "plant_search_ranges";
  return {
    mark: database.prepare<{ last: number | null }, []>(`SELECT max(last) AS last FROM ${ranges}`),
    all: database.prepare<{ range: number }, []>(`SELECT range FROM ${ranges}`),
    newRange: database.prepare<{ range: number }, []>(`SELECT coalesce(max(range), 0) + 1 AS range FROM ${ranges}`),
    open: database.prepare(`INSERT INTO ${ranges} (range, first, last, until, state) VALUES (?, ?, ?, ?, 'filling')`),
    filling: database.prepare<Range, [number]>(`SELECT * FROM ${ranges} WHERE last = ? AND state = 'filling'`),
    filled: database.prepare(
      `UPDATE ${ranges} SET last = ?1, plants = plants + ?2, writes = writes + 1, state = iif(?1 = until, 'merging', state)
      WHERE range = ?3`,
    ),
    rangeOf: database.prepare<Range, [bigint | number]>(
      `SELECT * FROM ${ranges} WHERE last >= ?1 AND first <= ?1 ORDER BY last LIMIT 1`,
    ),
    // A range of which a quarter was changed or removed is merged once more.
    changed: database.prepare<Range, [changed: number, removed: number, range: number]>(
      `UPDATE ${ranges} SET writes = writes + 1, dropped = dropped + ?1, plants = plants - ?2,
        state = iif(state = 'whole' AND 4 * (dropped + ?1) >= plants - ?2, 'merging', state)
      WHERE range = ?3 RETURNING *`,
    ),
    toMerge: database.prepare<Range, []>(
      `SELECT * FROM ${ranges} WHERE first <= last AND (writes >= ${MERGED_SEGMENTS} OR state = 'merging')
      ORDER BY writes DESC LIMIT 1`,
    ),
    // A whole range without plants has had its time, unless the mark is in it.
    merged: database.prepare(
      `UPDATE ${ranges} SET writes = 0, dropped = iif(state = 'merging', 0, dropped),
        state = iif(state = 'merging', 'whole', state),
        last = iif(state = 'filling' OR last = (SELECT max(last) FROM ${ranges})
          OR EXISTS (SELECT 1 FROM plants WHERE number BETWEEN first AND last), last, first - 1)
      WHERE range = ?`,
    ),
    changes: database.prepare<ChangedPlant, []>(
      `SELECT was.number, was.account, was.name, was.tag, plants.name AS newName, plants.tag AS newTag
      FROM plant_search_changes was LEFT JOIN plants USING (number) ORDER BY was.number`,
    ),
    followed: database.prepare("DELETE FROM plant_search_changes WHERE number <= ?"),
    plants: database.prepare<IndexedPlant, [number, number]>(
      "SELECT number, account, name, tag FROM plants WHERE number > ? AND number <= ? ORDER BY number",
    ),
    isMore: database.prepare<unknown, [number, number]>(
      "SELECT 1 FROM plants WHERE number > ? AND number <= ? LIMIT 1",
    ),
    lastNumber: database.prepare<{ value: number }, []>("SELECT value FROM counters WHERE name = 'plant_number'"),
    totalChanges: database.prepare<{ changes: number }, []>("SELECT total_changes() AS changes"),
  };
}
