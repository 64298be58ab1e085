import { Failure } from "#core/failure.ts";
import type { MatchCount } from "#core/match-count.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched } from "#core/plant.ts";
import { type PlantFilter, plantFilter } from "#core/plant-filter.ts";
import type { PlantChoice, PlantCondition, PlantPage, PlantQuery, PlantStore } from "#core/store.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import { Budget } from "./budget.ts";
import { toFailure } from "./errors.ts";
import { BulkCreate, PlantCreate } from "./plant-creates.ts";
import { PlantScan, pageOf } from "./plant-scan.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";
import type { Reader } from "./reader.ts";
import type { SqliteCommitter } from "./writers.ts";

const LISTED_SLICE_ROWS = 100;
const LISTED_SLICE_TEXT_UNITS_MAX = 1024 * 1024;
const LISTED_TEXT_UNITS_MAX = 4 * 1024 * 1024;

export class SqlitePlants implements PlantStore {
  readonly #committer: SqliteCommitter;
  readonly #reader: Reader;
  readonly #scan: PlantScan;
  readonly #find: ReadStatement<PlantRow, [number, bigint]>;
  readonly #count: ReadStatement<{ count: number }, [number]>;

  constructor(database: ReadConnection, committer: SqliteCommitter, reader: Reader) {
    this.#committer = committer;
    this.#reader = reader;
    this.#scan = new PlantScan(database);
    this.#find = database.prepare(`SELECT ${PLANT_COLUMNS} FROM plants WHERE account = ? AND id = ?`);
    this.#find.safeIntegers(true);
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
  }

  create(account: AccountNumber, plant: NewPlant): Promise<CreateOutcome> {
    return new Promise((resolve, reject) => this.#committer.add(new PlantCreate(account, plant, resolve, reject)));
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[]): Promise<CreateOutcome[]> {
    return new Promise((resolve, reject) => this.#committer.add(new BulkCreate(account, plants, resolve, reject)));
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    try {
      const row = this.#find.get(account, id);
      return row ? plantFromRow(row) : undefined;
    } catch (error) {
      throw toFailure(error);
    }
  }

  change(account: AccountNumber, id: bigint, patch: PlantPatch, allows: PlantCondition): Promise<Plant> {
    return this.#committer.run(({ plants }, now) => {
      const before = this.#required(account, id, allows);
      const after = patched(before, patch, now);
      if (after !== before) plants.change(account, before, after);
      return after;
    });
  }

  remove(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<void> {
    return this.#committer.run(({ plants }, now) => plants.remove(account, this.#required(account, id, allows), now));
  }

  async count(account: AccountNumber): Promise<number> {
    return this.#count.get(account)?.count ?? 0;
  }

  async countMatches(account: AccountNumber, filter: PlantChoice): Promise<MatchCount> {
    if (plantFilter(filter).open) return { count: await this.count(account), atLeast: false };
    return this.#reader.countMatches(account, filter);
  }

  suggestTags(account: AccountNumber): Promise<readonly string[]> {
    return this.#reader.suggestTags(account);
  }

  /** In slices, and in a third of the time: other requests pass between them, and other processes' writes. */
  async removeAll(account: AccountNumber): Promise<void> {
    let removed: number;
    do {
      const start = performance.now();
      removed = await this.#committer.run(({ plants }) => plants.removeSlice(account));
      if (removed > 0) await Bun.sleep(2 * (performance.now() - start));
    } while (removed > 0);
  }

  list(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    return plantFilter(query).open ? this.#listed(account, query) : this.#reader.search(account, query);
  }

  export(account: AccountNumber): AsyncIterable<readonly Plant[]> {
    return this.#reader.export(account);
  }

  /** In slices, so that other requests pass between them. */
  async #listed(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    const filter = plantFilter(query);
    const whole = new Budget(query.limit, LISTED_TEXT_UNITS_MAX);
    const plants: Plant[] = [];
    let next = query.after;
    for (;;) {
      const slice = { ...query, after: next, limit: Math.min(query.limit - plants.length, LISTED_SLICE_ROWS) };
      const page = this.#slice(account, slice, filter);
      plants.push(...page.plants);
      next = page.next;
      const more = page.plants.map((plant) => whole.spend(plant)).at(-1) ?? false;
      if (next === undefined || !more) return { plants, next };
      await new Promise(setImmediate);
    }
  }

  #slice(account: AccountNumber, query: PlantQuery, filter: PlantFilter): PlantPage {
    try {
      const budget = new Budget(Number.POSITIVE_INFINITY, LISTED_SLICE_TEXT_UNITS_MAX);
      return pageOf(this.#scan.inOrder(account, query), query, filter, budget);
    } catch (error) {
      throw toFailure(error);
    }
  }

  #required(account: AccountNumber, id: bigint, allows: PlantCondition): Plant {
    const row = this.#find.get(account, id);
    if (!row) throw new Failure("plant-unknown", `There is no plant with the id ${id}`);
    const plant = plantFromRow(row);
    allows(plant);
    return plant;
  }
}
