import type { MatchCount } from "#core/match-count.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched, removedAt } from "#core/plant.ts";
import { plantFilter } from "#core/plant-filter.ts";
import type { PlantChoice, PlantCondition, PlantPage, PlantQuery, PlantStore } from "#core/store.ts";
import type { RequestSpan } from "#core/trace.ts";
import { EMPTY_PAGE, LISTED_TEXT_MAX, type PageRequest, pageRequest } from "../plant-page.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow, requiredPlant } from "../plant-row.ts";
import { Budget } from "./budget.ts";
import { asFailure } from "./errors.ts";
import { BulkCreate, PlantCreate } from "./plant-creates.ts";
import { PlantScan, scannedPage } from "./plant-scan.ts";
import type { ReadConnection, ReadStatement } from "./read-connection.ts";
import type { Reader } from "./reader.ts";
import type { SqliteCommitter } from "./writers.ts";

const LISTED_SLICE_ROWS = 100;
const LISTED_SLICE_TEXT_UNITS_MAX = 1024 * 1024;

export class SqlitePlants implements PlantStore {
  readonly #committer: SqliteCommitter;
  readonly #reader: Reader;
  readonly #scan: PlantScan;
  readonly #find: ReadStatement<PlantRow, [number, bigint]>;
  readonly #count: ReadStatement<{ count: number }, [number]>;
  readonly #greatestId: ReadStatement<{ id: bigint | null }, [number]>;

  constructor(database: ReadConnection, committer: SqliteCommitter, reader: Reader) {
    this.#committer = committer;
    this.#reader = reader;
    this.#scan = new PlantScan(database);
    this.#find = database.prepare(`SELECT ${PLANT_COLUMNS} FROM plants WHERE account = ? AND id = ?`);
    this.#find.safeIntegers(true);
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
    this.#greatestId = database.prepare("SELECT max(id) AS id FROM plants WHERE account = ?");
    this.#greatestId.safeIntegers(true);
  }

  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan): Promise<CreateOutcome> {
    return new Promise((resolve, reject) =>
      this.#committer.add(new PlantCreate(account, plant, span, resolve, reject)),
    );
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[], span?: RequestSpan): Promise<CreateOutcome[]> {
    return new Promise((resolve, reject) =>
      this.#committer.add(new BulkCreate(account, plants, span, resolve, reject)),
    );
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    return asFailure(() => {
      const row = this.#find.get(account, id);
      return row ? plantFromRow(row) : undefined;
    });
  }

  change(
    account: AccountNumber,
    id: bigint,
    patch: PlantPatch,
    allows: PlantCondition,
    span?: RequestSpan,
  ): Promise<Plant> {
    return this.#committer.run(({ plants }, now) => {
      const before = requiredPlant(this.#find.get(account, id), id, allows);
      const after = patched(before, patch, now);
      if (after !== before) plants.change(account, before, after);
      return after;
    }, span);
  }

  remove(account: AccountNumber, id: bigint, allows: PlantCondition, span?: RequestSpan): Promise<void> {
    return this.#committer.run(({ plants }, now) => {
      const plant = requiredPlant(this.#find.get(account, id), id, allows);
      plants.remove(account, plant, removedAt(plant, now));
    }, span);
  }

  async count(account: AccountNumber): Promise<number> {
    return asFailure(() => this.#count.get(account)?.count ?? 0);
  }

  async greatestId(account: AccountNumber): Promise<bigint | undefined> {
    return asFailure(() => this.#greatestId.get(account)?.id ?? undefined);
  }

  async countMatches(account: AccountNumber, filter: PlantChoice): Promise<MatchCount> {
    if (plantFilter(filter).open) return { count: await this.count(account), atLeast: false };
    return this.#reader.countMatches(account, filter);
  }

  suggestTags(account: AccountNumber): Promise<readonly string[]> {
    return this.#reader.suggestTags(account);
  }

  /**
   * Removes in slices, in a third of the time, so that other requests and other processes' writes pass between them.
   */
  async removeAll(account: AccountNumber): Promise<void> {
    let removed: number;
    do {
      const start = performance.now();
      removed = await this.#committer.run(({ plants }) => plants.removeSlice(account));
      if (removed > 0) await Bun.sleep(2 * (performance.now() - start));
    } while (removed > 0);
  }

  async list(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    const request = pageRequest(account, query);
    if (!request) return EMPTY_PAGE;
    return request.filter.open ? this.#listed(request) : this.#reader.search(account, query);
  }

  export(account: AccountNumber, onCut?: (reason: string) => void): AsyncIterable<readonly Plant[]> {
    return this.#reader.export(account, onCut);
  }

  /** Reads in slices, so that other requests pass between them. */
  async #listed({ account, query }: PageRequest): Promise<PlantPage> {
    const budget = new Budget(query.limit, LISTED_TEXT_MAX);
    const plants: Plant[] = [];
    let after = query.after;
    for (;;) {
      const limit = Math.min(query.limit - plants.length, LISTED_SLICE_ROWS);
      const slice = this.#slice(account, { ...query, after, limit });
      plants.push(...slice.plants);
      after = slice.next;
      const more = slice.plants.map((plant) => budget.spend(plant)).at(-1) ?? false;
      if (after === undefined || !more) return { plants, next: after };
      await new Promise(setImmediate);
    }
  }

  #slice(account: AccountNumber, query: PlantQuery): PlantPage {
    const request = pageRequest(account, query);
    if (!request) return EMPTY_PAGE;
    const budget = new Budget(Number.POSITIVE_INFINITY, LISTED_SLICE_TEXT_UNITS_MAX);
    return asFailure(() => scannedPage(this.#scan.inOrder(request), request, budget));
  }
}
