import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber, CreateOutcome, NewPlant, Plant } from "#core/plant.ts";
import { Budget, sliceOf } from "./budget.ts";
import { type Creation, RowsInsert } from "./rows-insert.ts";
import { type IndexedPlant, SearchIndex } from "./search-index.ts";

/** A statement of eight plants takes two thirds of eight statements' time, one of sixty-four little less than that. */
const ROWS_AT_ONCE = [64, 8] as const;
const REMOVED_ROWS_MAX = 200;
const REMOVED_TEXT_UNITS_MAX = 64 * 1024;

interface Kept {
  readonly number: number;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * Every write of a plant, inside the committer's transaction. Here, and nowhere else, a row for the plant's event can
 * one day join it. Insertion numbers and the count of each account's plants are read and kept once for each
 * transaction, not for each plant.
 */
export class PlantWriter {
  readonly #insert: Statement;
  readonly #insertRows: readonly RowsInsert[];
  readonly #kept: Statement<Kept, [number, bigint]>;
  readonly #update: Statement;
  readonly #delete: Statement;
  readonly #slice: Statement<IndexedPlant, [AccountNumber]>;
  readonly #dropCount: Statement;
  readonly #readNumber: Statement<{ value: number }, []>;
  readonly #keepNumber: Statement;
  readonly #touch: Statement;
  readonly #keepCount: Statement;
  readonly searchIndex: SearchIndex;
  #number = 0;
  #numberKept = 0;
  #counts = new Map<AccountNumber, number>();

  constructor(database: Database) {
    this.searchIndex = new SearchIndex(database);
    this.#insert = database.prepare(
      "INSERT INTO plants (number, account, id, name, tag, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (account, id) DO NOTHING",
    );
    this.#insertRows = ROWS_AT_ONCE.map((count) => new RowsInsert(database, count));
    this.#kept = database.prepare("SELECT number, name, tag FROM plants WHERE account = ? AND id = ?");
    this.#update = database.prepare(
      "UPDATE plants SET name = ?, tag = ?, revision = ?, updated_at = ? WHERE number = ?",
    );
    this.#delete = database.prepare("DELETE FROM plants WHERE number = ?");
    this.#slice = database.prepare("SELECT number, account, name, tag FROM plants WHERE account = ? ORDER BY number");
    this.#dropCount = database.prepare("DELETE FROM plant_counts WHERE account = ?");
    this.#readNumber = database.prepare("SELECT value FROM counters WHERE name = 'plant_number'");
    this.#keepNumber = database.prepare("UPDATE counters SET value = ? WHERE name = 'plant_number'");
    this.#touch = database.prepare(
      "INSERT INTO counters VALUES ('touches', 1) ON CONFLICT (name) DO UPDATE SET value = (value + 1) & 65535",
    );
    this.#keepCount = database.prepare(
      "INSERT INTO plant_counts (account, slot, count) VALUES (?, 0, ?) ON CONFLICT (account, slot) DO UPDATE SET count = count + excluded.count",
    );
  }

  /** Call at the start of each transaction: another process may have written since the last. */
  begin(): void {
    this.#number = this.#numberKept = this.#readNumber.get()?.value ?? 0;
    this.#counts.clear();
    this.searchIndex.changes.clear();
  }

  create({ account, plant }: Creation, now: number): CreateOutcome {
    const { id, name, tag } = plant;
    const { changes } = this.#insert.run(this.#number + 1, account, id, name, tag ?? null, now);
    if (changes === 0) return compared(this.#kept.get(account, id), plant);
    this.#number++;
    this.#counted(account, 1);
    return "created";
  }

  /** As one create after the other, but many in one statement. */
  createMany(creations: readonly Creation[], now: number): CreateOutcome[] {
    const outcomes: CreateOutcome[] = [];
    while (outcomes.length < creations.length) {
      const left = creations.length - outcomes.length;
      const rows = this.#insertRows.find(({ count }) => count <= left);
      const some = creations.slice(outcomes.length, outcomes.length + (rows?.count ?? left));
      if (rows) outcomes.push(...this.#createRows(rows, some, now));
      else for (const each of some) outcomes.push(this.create(each, now));
    }
    return outcomes;
  }

  /** Where not all of them are new, the number that was kept tells which are. */
  #createRows(rows: RowsInsert, creations: readonly Creation[], now: number): CreateOutcome[] {
    const first = this.#number + 1;
    const created = rows.run(creations, now, first);
    if (created === creations.length) this.#number += created;
    return creations.map(({ account, plant }, place) => {
      if (created < creations.length) {
        const kept = this.#kept.get(account, plant.id);
        if (kept?.number !== first + place) return compared(kept, plant);
        this.#number = kept.number;
      }
      this.#counted(account, 1);
      return "created";
    });
  }

  change(account: AccountNumber, before: Plant, after: Plant): void {
    this.#update.run(after.name, after.tag ?? null, after.revision, after.updatedAt, after.number);
    this.searchIndex.change(indexed(account, before), indexed(account, after));
  }

  remove(account: AccountNumber, plant: Plant): void {
    this.#delete.run(plant.number);
    this.searchIndex.change(indexed(account, plant), undefined);
    this.#counted(account, -1);
  }

  /** Removes some of the account's plants, few enough for the thread that serves, and in the end their count. */
  removeSlice(account: AccountNumber): number {
    const slice = sliceOf(this.#slice.iterate(account), new Budget(REMOVED_ROWS_MAX, REMOVED_TEXT_UNITS_MAX));
    for (const plant of slice) {
      this.#delete.run(plant.number);
      this.searchIndex.change(plant, undefined);
    }
    if (slice.length > 0) this.#counted(account, -slice.length);
    else this.#dropCount.run(account);
    return slice.length;
  }

  /**
   * Writes a page: only that, with its commit, shows a full disk or a read-only file. It must say something new, since
   * SQLite does not write a row that stays the same.
   */
  touch(): void {
    this.#touch.run();
  }

  /** Call before the commit. */
  finish(): void {
    if (this.#number !== this.#numberKept) this.#keepNumber.run(this.#number);
    for (const [account, change] of this.#counts) this.#keepCount.run(account, change);
    this.searchIndex.finish();
  }

  /** What to put back when a part of the transaction is undone. */
  mark(): () => void {
    const number = this.#number;
    const counts = new Map(this.#counts);
    const undoSearchChanges = this.searchIndex.changes.mark();
    return () => {
      undoSearchChanges();
      this.#number = number;
      this.#counts = counts;
    };
  }

  #counted(account: AccountNumber, change: number): void {
    this.#counts.set(account, (this.#counts.get(account) ?? 0) + change);
  }
}

function compared(kept: Kept | null, { name, tag }: NewPlant): CreateOutcome {
  return kept?.name === name && kept.tag === (tag ?? null) ? "unchanged" : "taken";
}

function indexed(account: AccountNumber, { number, name, tag }: Plant): IndexedPlant {
  return { number, account, name, tag: tag ?? null };
}
