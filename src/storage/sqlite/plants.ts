import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched, removedAt } from "#core/plant.ts";
import type { PlantCondition, PlantStore } from "#core/store.ts";
import type { RequestSpan } from "#core/trace.ts";
import { requiredPlant } from "../plant-row.ts";
import type { Committer } from "./committer.ts";
import { asFailure } from "./errors.ts";
import { BulkCreate, PlantCreate } from "./plant-creates.ts";
import { PlantLookup } from "./plant-lookup.ts";
import type { ReadConnection } from "./read-connection.ts";

export class SqlitePlants implements PlantStore {
  readonly #plants: PlantLookup;

  constructor(
    database: ReadConnection,
    private readonly committer: Committer,
  ) {
    this.#plants = new PlantLookup(database);
  }

  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan): Promise<CreateOutcome> {
    return new Promise((resolve, reject) => this.committer.add(new PlantCreate(account, plant, span, resolve, reject)));
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[], span?: RequestSpan): Promise<CreateOutcome[]> {
    return new Promise((resolve, reject) => this.committer.add(new BulkCreate(account, plants, span, resolve, reject)));
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    return asFailure(() => this.#plants.find(account, id));
  }

  change(
    account: AccountNumber,
    id: bigint,
    patch: PlantPatch,
    allows: PlantCondition,
    span?: RequestSpan,
  ): Promise<Plant> {
    return this.committer.run(({ plants }, now) => {
      const before = requiredPlant(this.#plants.row(account, id), id, allows);
      const after = patched(before, patch, now);
      if (after !== before) plants.change(account, before, after);
      return after;
    }, span);
  }

  remove(account: AccountNumber, id: bigint, allows: PlantCondition, span?: RequestSpan): Promise<void> {
    return this.committer.run(({ plants }, now) => {
      const plant = requiredPlant(this.#plants.row(account, id), id, allows);
      plants.remove(account, plant, removedAt(plant, now));
    }, span);
  }

  async count(account: AccountNumber): Promise<number> {
    return asFailure(() => this.#plants.count(account));
  }

  /**
   * Removes in slices, in a third of the time, so that other requests and other processes' writes pass between them.
   */
  async removeAll(account: AccountNumber): Promise<void> {
    let removed: number;
    do {
      const start = performance.now();
      removed = await this.committer.run(({ plants }) => plants.removeSlice(account));
      if (removed > 0) await Bun.sleep(2 * (performance.now() - start));
    } while (removed > 0);
  }
}
