import type { Database, Statement } from "bun:sqlite";
import { Failure } from "#core/failure.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched } from "#core/plant.ts";
import type { PlantCondition, PlantPage, PlantQuery, PlantStore } from "#core/store.ts";
import { PLANT_COLUMNS, type PlantRow, plantFromRow } from "../plant-row.ts";
import type { Committer } from "./committer.ts";
import type { PlantWriter } from "./plant-writer.ts";
import { inPublic } from "./trouble.ts";

export class SqlitePlants implements PlantStore {
  readonly #committer: Committer;
  readonly #find: Statement<PlantRow, [number, bigint]>;
  readonly #count: Statement<{ count: number }, [number]>;

  constructor(database: Database, committer: Committer) {
    this.#committer = committer;
    this.#find = database.prepare(`SELECT ${PLANT_COLUMNS} FROM plants WHERE account = ? AND id = ?`);
    this.#find.safeIntegers(true);
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
  }

  create(account: AccountNumber, plant: NewPlant): Promise<CreateOutcome> {
    return this.#committer.create(account, plant);
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[]): Promise<CreateOutcome[]> {
    const size = plants.reduce((sum, { name, tag }) => sum + name.length + (tag?.length ?? 0), 0);
    return this.#committer.run((writer, now) => plants.map((plant) => writer.create(account, plant, now)), size);
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    try {
      const row = this.#find.get(account, id);
      return row ? plantFromRow(row) : undefined;
    } catch (error) {
      throw inPublic(error);
    }
  }

  change(account: AccountNumber, id: bigint, patch: PlantPatch, allows: PlantCondition): Promise<Plant> {
    return this.#committer.run((writer, now) => {
      const before = this.#required(account, id, allows);
      const after = patched(before, patch, now);
      if (after !== before) writer.change(after);
      return after;
    });
  }

  remove(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<void> {
    return this.#committer.run((writer: PlantWriter) => writer.remove(account, this.#required(account, id, allows)));
  }

  async count(account: AccountNumber): Promise<number> {
    return this.#count.get(account)?.count ?? 0;
  }

  /** In slices, so that creates pass between them. */
  async removeAll(account: AccountNumber): Promise<void> {
    while ((await this.#committer.run((writer) => writer.removeSlice(account))) > 0);
  }

  list(_account: AccountNumber, _query: PlantQuery): Promise<PlantPage> {
    throw new Error("not yet");
  }

  export(_account: AccountNumber): AsyncIterable<readonly Plant[]> {
    throw new Error("not yet");
  }

  #required(account: AccountNumber, id: bigint, allows: PlantCondition): Plant {
    const row = this.#find.get(account, id);
    if (!row) throw new Failure("plant-unknown", `There is no plant with the id ${id}`);
    const plant = plantFromRow(row);
    allows(plant);
    return plant;
  }
}
