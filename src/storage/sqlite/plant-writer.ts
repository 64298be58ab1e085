import type { Database } from "bun:sqlite";
import type { AccountNumber, CreateOutcome, NewPlant, Plant } from "#core/plant.ts";
import { Budget, sliceOf } from "./budget.ts";
import { EventWriter } from "./event-writer.ts";
import { type Creation, ROWS_AT_ONCE, RowsInsert } from "./rows-insert.ts";
import { type IndexedPlant, SearchIndex } from "./search-index.ts";

const REMOVED_ROWS_MAX = 200;
const REMOVED_TEXT_UNITS_MAX = 64 * 1024;

interface Kept {
  readonly number: number;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * Every write of a plant, inside the committer's transaction. Insertion numbers and the counts of plants by account are
 * read and stored once for each transaction, not for each plant. A change or removal also draws a number, for its
 * event; a create is its own event and stores none.
 */
export class PlantWriter {
  readonly #statements: ReturnType<typeof statementsOn>;
  readonly #insertRows: RowsInsert;
  readonly #events: EventWriter | undefined;
  readonly searchIndex: SearchIndex;
  #number = 0;
  #numberKept = 0;
  #counts = new Map<AccountNumber, number>();
  /** The accounts seen in this transaction, with true for those that exist. */
  readonly #accounts = new Map<AccountNumber, boolean>();

  constructor(database: Database, keepsEvents: boolean) {
    this.#statements = statementsOn(database);
    this.#insertRows = new RowsInsert(database);
    this.#events = keepsEvents ? new EventWriter(database) : undefined;
    this.searchIndex = new SearchIndex(database);
  }

  begin(): void {
    this.#number = this.#numberKept = this.#statements.readNumber.get()?.value ?? 0;
    this.#counts.clear();
    this.#accounts.clear();
    this.searchIndex.begin();
  }

  /** Undefined if the account was removed. Nothing is created then, since nothing would ever remove it. */
  create(creation: Creation, now: number): CreateOutcome | undefined {
    return this.#hasAccount(creation.account) ? this.#create(creation, now) : undefined;
  }

  #create(creation: Creation, now: number): CreateOutcome {
    const { account, plant } = creation;
    const { id, name, tag } = plant;
    const { changes } = this.#statements.insert.run(this.#number + 1, account, id, name, tag ?? null, now);
    return changes === 1
      ? this.#created(creation, this.#number + 1)
      : compared(this.#statements.kept.get(account, id), plant);
  }

  /** Like one create after the other, but many in one statement. */
  createMany(creations: readonly Creation[], now: number): (CreateOutcome | undefined)[] {
    if (!this.#haveAccounts(creations)) return creations.map((creation) => this.create(creation, now));
    const outcomes: CreateOutcome[] = [];
    const inRows = creations.length - (creations.length % ROWS_AT_ONCE);
    for (let start = 0; start < inRows; start += ROWS_AT_ONCE) this.#createRows(creations, start, now, outcomes);
    for (const creation of creations.slice(inRows)) outcomes.push(this.#create(creation, now));
    return outcomes;
  }

  #haveAccounts(creations: readonly Creation[]): boolean {
    let last: AccountNumber | undefined;
    for (const { account } of creations) {
      if (account !== last && !this.#hasAccount(account)) return false;
      last = account;
    }
    return true;
  }

  #hasAccount(account: AccountNumber): boolean {
    let known = this.#accounts.get(account);
    if (known === undefined) {
      known = this.#statements.account.get(account) !== null;
      this.#accounts.set(account, known);
    }
    return known;
  }

  #createRows(creations: readonly Creation[], start: number, now: number, outcomes: CreateOutcome[]): void {
    const first = this.#number + 1;
    const created = this.#insertRows.run(creations, start, now, first);
    for (let at = start; at < start + ROWS_AT_ONCE; at++) {
      const creation = creations[at] as Creation;
      if (created === ROWS_AT_ONCE) outcomes.push(this.#created(creation, first + at - start));
      else outcomes.push(this.#createdOrKept(creation, first + at - start));
    }
  }

  /** If not all rows were new, the stored number shows which are. */
  #createdOrKept(creation: Creation, number: number): CreateOutcome {
    const kept = this.#statements.kept.get(creation.account, creation.plant.id);
    return kept?.number === number ? this.#created(creation, number) : compared(kept, creation.plant);
  }

  #created({ account }: Creation, number: number): CreateOutcome {
    this.#number = number;
    this.#counted(account, 1);
    return "created";
  }

  change(account: AccountNumber, before: Plant, after: Plant): void {
    this.#statements.update.run(after.name, after.tag ?? null, after.revision, after.updatedAt, after.number);
    this.searchIndex.change(indexed(account, before), indexed(account, after));
    this.#events?.changed(account, before, after, ++this.#number);
  }

  remove(account: AccountNumber, plant: Plant, now: number): void {
    this.#statements.delete.run(plant.number);
    this.searchIndex.change(indexed(account, plant), undefined);
    this.#events?.removed(account, plant, ++this.#number, now);
    this.#counted(account, -1);
  }

  /** Removes some of the account's plants, few enough for the serving thread, and finally their count. */
  removeSlice(account: AccountNumber): number {
    const slice = sliceOf(
      this.#statements.slice.iterate(account),
      new Budget(REMOVED_ROWS_MAX, REMOVED_TEXT_UNITS_MAX),
    );
    for (const plant of slice) {
      this.#statements.delete.run(plant.number);
      this.searchIndex.change(plant, undefined);
    }
    if (slice.length > 0) this.#counted(account, -slice.length);
    else this.#statements.dropCount.run(account);
    return slice.length;
  }

  /**
   * Writes a page, since only a write and its commit reveal a full disk or a read-only file. The value must differ,
   * because SQLite does not write a row that stays the same.
   */
  touch(): void {
    this.#statements.touch.run();
  }

  finish(): void {
    if (this.#number !== this.#numberKept) this.#statements.keepNumber.run(this.#number);
    for (const [account, change] of this.#counts) this.#statements.keepCount.run(account, change);
    this.searchIndex.finish();
  }

  mark(): () => void {
    const number = this.#number;
    const counts = new Map(this.#counts);
    const undoSearchChanges = this.searchIndex.markChanges();
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

function statementsOn(database: Database) {
  return {
    insert: database.prepare(
      "INSERT INTO plants (number, account, id, name, tag, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (account, id) DO NOTHING",
    ),
    kept: database.prepare<Kept, [AccountNumber, bigint]>(
      "SELECT number, name, tag FROM plants WHERE account = ? AND id = ?",
    ),
    update: database.prepare("UPDATE plants SET name = ?, tag = ?, revision = ?, updated_at = ? WHERE number = ?"),
    delete: database.prepare("DELETE FROM plants WHERE number = ?"),
    slice: database.prepare<IndexedPlant, [AccountNumber]>(
      "SELECT number, account, name, tag FROM plants WHERE account = ? ORDER BY number",
    ),
    account: database.prepare<unknown, [AccountNumber]>("SELECT 1 FROM accounts WHERE number = ?"),
    readNumber: database.prepare<{ value: number }, []>("SELECT value FROM counters WHERE name = 'plant_number'"),
    keepNumber: database.prepare("UPDATE counters SET value = ? WHERE name = 'plant_number'"),
    keepCount: database.prepare(
      "INSERT INTO plant_counts (account, slot, count) VALUES (?, 0, ?) ON CONFLICT (account, slot) DO UPDATE SET count = count + excluded.count",
    ),
    dropCount: database.prepare("DELETE FROM plant_counts WHERE account = ?"),
    touch: database.prepare(
      "INSERT INTO counters VALUES ('touches', 1) ON CONFLICT (name) DO UPDATE SET value = (value + 1) & 65535",
    ),
  };
}

function compared(kept: Kept | null, { name, tag }: NewPlant): CreateOutcome {
  return kept?.name === name && kept.tag === (tag ?? null) ? "unchanged" : "taken";
}

function indexed(account: AccountNumber, { number, name, tag }: Plant): IndexedPlant {
  return { number, account, name, tag: tag ?? null };
}
