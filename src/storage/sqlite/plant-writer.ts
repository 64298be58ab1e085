import type { Database } from "bun:sqlite";
import { type Doer, storedActor } from "#core/event-actor.ts";
import type {
  AccountNumber,
  CreateOutcome,
  NewPlant,
  Plant,
  PlantPatch,
  PlantRemoval,
  PlantUpdate,
  PutPlant,
  RemovalOutcome,
  UpdateOutcome,
} from "#core/plant.ts";
import {
  isToRemove,
  newPlantOf,
  outcomeBeside,
  patched,
  patchOf,
  patchTo,
  plantUnknown,
  removedAt,
  textUnits,
} from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import type { PlantCondition, PutCondition } from "#core/records.ts";
import { KIND_CHANGED, KIND_CREATED, KIND_REMOVED, storedTexts, WRITTEN } from "../event-row.ts";
import {
  FIND_PLANT,
  PLANTS_UP_TO,
  type PlantRow,
  plantFromRow,
  TEXTS,
  type TextRow,
  textsFromRow,
  textsUpTo,
} from "../plant-row.ts";
import { accountRemoved, type PlantsWrite } from "../write-queue.ts";
import { Budget, sliceOf } from "./budget.ts";
import { type Creation, ROWS_AT_ONCE, rowsInsert } from "./rows-insert.ts";
import { SearchIndex } from "./search-index.ts";

interface AskedCreation extends Creation {
  /** The writer appends its outcomes here. */
  readonly outcomes: CreateOutcome[];
  readonly by: Doer | undefined;
}

/** How plants are changed or removed. */
export interface Change {
  readonly by: Doer | undefined;
  readonly now: number;
  /** Plants with longer texts are left alone, and their answer is undefined. */
  readonly bytesMax: number;
}

/** A row without the id, which is known, and without texts that are too long. Numbers count from 1. */
interface ShortRow extends Omit<PlantRow, "number" | "id" | "name"> {
  readonly number: number;
  readonly name: string | null;
}

/**
 * Every write of a plant, inside the committer's transaction. Insertion numbers and the counts of plants by account are
 * read and stored once for each transaction, not for each plant. A change or removal also draws a number, for its
 * event; a create is its own event and stores none, only who did it if that was a person.
 */
export class PlantWriter {
  readonly #statements: ReturnType<typeof statementsOn>;
  readonly #insertRows: ReturnType<typeof rowsInsert>;
  readonly searchIndex: SearchIndex;
  #number = 0;
  #numberKept = 0;
  #counts = new Map<AccountNumber, number>();
  /** The accounts seen in this transaction, with true for those that exist. */
  readonly #accounts = new Map<AccountNumber, boolean>();

  constructor(
    database: Database,
    private readonly keepsEvents: boolean,
  ) {
    this.#statements = statementsOn(database);
    this.#insertRows = rowsInsert(database);
    this.searchIndex = new SearchIndex(database);
  }

  begin(): void {
    this.#number = this.#numberKept = this.#statements.readNumber.get()?.value ?? 0;
    this.#counts.clear();
    this.#accounts.clear();
  }

  /**
   * Returns the outcomes of each write; undefined for one whose account was removed. Nothing of that is created, since
   * nothing would ever remove it.
   */
  create(
    writes: readonly Pick<PlantsWrite, "account" | "plants" | "by">[],
    now: number,
  ): (CreateOutcome[] | undefined)[] {
    const creations: AskedCreation[] = [];
    const all = writes.map(({ account, plants, by }) => {
      if (!this.#hasAccount(account)) return undefined;
      const outcomes: CreateOutcome[] = [];
      for (const plant of plants) creations.push({ account, plant, outcomes, by });
      return outcomes;
    });
    for (let start = 0; start < creations.length; start += ROWS_AT_ONCE)
      this.#createRows(creations.slice(start, start + ROWS_AT_ONCE), now);
    return all;
  }

  #hasAccount(account: AccountNumber): boolean {
    let known = this.#accounts.get(account);
    if (known === undefined) {
      known = this.#statements.account.get(account) !== null;
      this.#accounts.set(account, known);
    }
    return known;
  }

  /** Inserts all rows at once; if some existed, the stored numbers tell which are new. */
  #createRows(creations: readonly AskedCreation[], now: number): void {
    let number = this.#number;
    const areNew = this.#insertRows(creations, now, number + 1) === creations.length;
    for (const { account, plant, outcomes, by } of creations) {
      number++;
      const kept = areNew ? undefined : this.#statements.find.get(account, plant.id);
      if (areNew || Number(kept?.number) === number) {
        this.#number = number;
        this.#counted(account, 1);
        outcomes.push("created");
        if (by) this.#statements.keepActor.run(number, account, storedActor(by), by.importMark ?? null);
      } else outcomes.push(compared(kept, plant));
    }
  }

  change(
    account: AccountNumber,
    id: bigint,
    patch: PlantPatch,
    change: Change & { readonly allows: PlantCondition },
  ): Plant | undefined {
    const before = this.#required(account, id, change);
    return before && this.#change(account, before, patch, change);
  }

  remove(account: AccountNumber, id: bigint, change: Change & { readonly allows: PlantCondition }): true | undefined {
    const plant = this.#required(account, id, change);
    if (!plant) return undefined;
    this.#remove(account, plant, change.now, change.by);
    return true;
  }

  put(
    account: AccountNumber,
    given: NewPlant,
    { allows, ...change }: Change & { readonly allows: PutCondition },
  ): PutPlant | undefined {
    this.#requireAccount(account);
    const before = this.#find(account, given.id, change.bytesMax);
    if (before === "long") return undefined;
    allows(before);
    if (!before) return { plant: this.#create(account, given, change), outcome: "created" };
    const after = this.#change(account, before, patchTo(given), change);
    return { plant: after, outcome: after === before ? "unchanged" : "replaced" };
  }

  /**
   * The outcome of each. All plants together may have texts of `bytesMax`, which the first has to itself; undefined for each
   * record of a plant for which too little is left.
   */
  updateMany(account: AccountNumber, updates: readonly PlantUpdate[], change: Change): (UpdateOutcome | undefined)[] {
    this.#requireAccount(account);
    let bytesLeft = change.bytesMax;
    return updates.map((update) => {
      const before = this.#find(account, update.id, bytesLeft);
      if (before === "long") return undefined;
      if (before) bytesLeft -= textUnits(before);
      if (before) return this.#change(account, before, patchOf(update), change) === before ? "unchanged" : "updated";
      const plant = newPlantOf(update);
      if (!plant) return "nameless";
      this.#create(account, plant, change);
      return "created";
    });
  }

  /** Like `updateMany`, for removals. */
  removeMany(
    account: AccountNumber,
    removals: readonly PlantRemoval[],
    change: Change,
  ): (RemovalOutcome | undefined)[] {
    let bytesLeft = change.bytesMax;
    return removals.map((removal) => {
      const plant = this.#find(account, removal.id, bytesLeft);
      if (plant === "long") return undefined;
      if (!plant) return "missing";
      bytesLeft -= textUnits(plant);
      if (!isToRemove(removal, plant)) return "changed";
      this.#remove(account, plant, change.now, change.by);
      return "removed";
    });
  }

  #requireAccount(account: AccountNumber): void {
    if (!this.#hasAccount(account)) throw accountRemoved();
  }

  /** Creates a plant and stores its creator only if that is a person. */
  #create(account: AccountNumber, plant: NewPlant, { by, now }: Change): Plant {
    const person = this.keepsEvents && by?.kind === "person" ? by : undefined;
    this.create([{ account, plants: [plant], by: person }], now);
    return { ...plant, number: BigInt(this.#number), revision: 1, createdAt: now, updatedAt: now };
  }

  /** Returns the plant after the change; the same object if nothing changes. */
  #change(account: AccountNumber, before: Plant, patch: PlantPatch, { by, now }: Change): Plant {
    const after = patched(before, patch, now);
    if (after === before) return after;
    const texts = MEMBER_NAMES.map((member) => after[member] ?? null);
    this.#statements.update.run(...texts, after.revision, after.updatedAt, after.number);
    this.#keepEvent(account, before, KIND_CHANGED, after.updatedAt, by, after);
    return after;
  }

  /** The plant to change or remove, which must exist and be allowed. */
  #required(
    account: AccountNumber,
    id: bigint,
    { bytesMax, allows }: Change & { readonly allows: PlantCondition },
  ): Plant | undefined {
    const plant = this.#find(account, id, bytesMax);
    if (plant === "long") return undefined;
    if (!plant) throw plantUnknown(id);
    allows(plant);
    return plant;
  }

  #find(account: AccountNumber, id: bigint, bytesMax: number): Plant | "long" | undefined {
    const row = this.#statements.findShort.get(account, id, bytesMax);
    if (!row) return undefined;
    if (row.name === null) return "long";
    return plantFromRow({ ...row, id, number: BigInt(row.number), name: row.name });
  }

  /** Removes some of the account's plants up to that number, few enough for the serving thread. False if there are none. */
  removeUpTo(account: AccountNumber, number: bigint, now: number): boolean {
    const slice = sliceOf(this.#statements.upTo.iterate(account, number), new Budget(50, 64 * 1024));
    for (const row of slice) this.#remove(account, plantFromRow(row), now);
    return slice.length > 0;
  }

  #remove(account: AccountNumber, plant: Plant, now: number, by?: Doer): void {
    this.#statements.delete.run(plant.number);
    this.#keepEvent(account, plant, KIND_REMOVED, removedAt(plant, now), by);
    this.#counted(account, -1);
  }

  /**
   * A plant at revision 1 has no row for its creation; that row is stored first, under the plant's number. Only a change
   * has a plant `after` it.
   */
  #keepEvent(
    account: AccountNumber,
    before: Plant,
    kind: number,
    at: number,
    by: Doer | undefined,
    after?: Plant,
  ): void {
    if (!this.keepsEvents) return;
    const keep = (
      number: bigint | number,
      kind: number,
      at: number,
      plant: Plant,
      actor: string | null,
      previous?: Plant,
    ) => {
      const times = [plant.createdAt, plant.updatedAt];
      const texts = storedTexts({ plant, previous });
      this.#statements.keepEvent.run(account, number, kind, at, plant.id, ...texts, ...times, actor);
    };
    if (before.revision === 1) keep(before.number, KIND_CREATED, before.createdAt, before, null);
    keep(++this.#number, kind, at, after ?? before, by ? storedActor(by) : null, after && before);
    if (by?.importMark) this.#statements.keepActor.run(this.#number, account, storedActor(by), by.importMark);
  }

  /** Removes some of the account's plants, few enough for the serving thread, and finally their count. */
  removeSlice(account: AccountNumber): number {
    const slice = sliceOf(this.#statements.slice.iterate(account), new Budget(200, 64 * 1024));
    for (const plant of slice) this.#statements.delete.run(plant.number);
    this.searchIndex.follow();
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
  }

  /** Returns a function that undoes what was noted since, for when a part of the transaction is rolled back. */
  mark(): () => void {
    const number = this.#number;
    const counts = new Map(this.#counts);
    return () => {
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
    find: database.prepare<PlantRow, [AccountNumber, bigint]>(FIND_PLANT),
    findShort: database.prepare<ShortRow, [AccountNumber, bigint, bytesMax: number]>(
      `SELECT number, ${textsUpTo("?3")}, revision, created_at, updated_at FROM plants WHERE account = ?1 AND id = ?2`,
    ),
    update: database.prepare(
      `UPDATE plants SET ${MEMBER_NAMES.map((member) => `${member} = ?`)}, revision = ?, updated_at = ? WHERE number = ?`,
    ),
    delete: database.prepare("DELETE FROM plants WHERE number = ?"),
    keepEvent: database.prepare(
      `INSERT INTO plant_events (account, ${WRITTEN}, actor) VALUES (?, ${WRITTEN.replace(/\w+/g, "?")}, ?)`,
    ),
    keepActor: database.prepare("INSERT INTO plant_event_actors (number, account, actor, import) VALUES (?, ?, ?, ?)"),
    slice: database.prepare<Pick<PlantRow, "number"> & TextRow, [AccountNumber]>(
      `SELECT number, ${TEXTS} FROM plants WHERE account = ? ORDER BY number`,
    ),
    upTo: database.prepare<PlantRow, [AccountNumber, bigint]>(PLANTS_UP_TO),
    account: database.prepare<unknown, [AccountNumber]>("SELECT 1 FROM stores WHERE number = ?"),
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

function compared(kept: PlantRow | null | undefined, plant: NewPlant): CreateOutcome {
  return kept ? outcomeBeside(textsFromRow(kept), plant) : "taken";
}
