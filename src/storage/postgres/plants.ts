import { Failure } from "#core/failure.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched } from "#core/plant.ts";
import type { PlantCondition, PlantPage, PlantQuery, PlantStore } from "#core/store.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import type { Committer } from "./committer.ts";
import { isConflict, toFailure, toWriteFailure } from "./errors.ts";
import { exportPages } from "./plant-export.ts";
import { scannedPage } from "./plant-scan.ts";
import type { Pools } from "./pools.ts";

const FIND = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at FROM plants WHERE account = $1 AND id = $2`;

/** The same, in a transaction whose end waits for the disk and the synchronous standby (see plant-batch.ts). */
const FIND_ON_DISK = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at,
  pg_logical_emit_message(true, 'plantstore', 'read back') FROM plants WHERE account = $1 AND id = $2`;

const CHANGE = `
UPDATE plants SET name = $5, tag = $6, revision = $7, updated_at = $8
WHERE account = $1 AND id = $2 AND number = $3 AND revision = $4`;

const REMOVE = `
WITH removed AS (
  DELETE FROM plants WHERE account = $1 AND id = $2 AND number = $3 AND revision = $4 RETURNING account
), counted AS (
  INSERT INTO plant_counts (account, slot, count)
  SELECT account, pg_backend_pid() % 64, -count(*) FROM removed GROUP BY account
  ON CONFLICT (account, slot) DO UPDATE SET count = plant_counts.count + excluded.count
)
SELECT count(*) AS count FROM removed`;

const REMOVE_SLICE = `
WITH slice AS (
  SELECT id FROM plants WHERE account = $1 LIMIT 2000
), removed AS (
  DELETE FROM plants USING slice WHERE plants.account = $1 AND plants.id = slice.id RETURNING plants.account
), counted AS (
  INSERT INTO plant_counts (account, slot, count)
  SELECT account, pg_backend_pid() % 64, -count(*) FROM removed GROUP BY account
  ON CONFLICT (account, slot) DO UPDATE SET count = plant_counts.count + excluded.count
)
SELECT count(*) AS count FROM removed`;

const COUNT = "SELECT coalesce(sum(count), 0)::bigint AS count FROM plant_counts WHERE account = $1";

export class PostgresPlants implements PlantStore {
  readonly #pools: Pick<Pools, "shared" | "exporting">;
  readonly #committer: Committer;

  constructor(pools: Pick<Pools, "shared" | "exporting">, committer: Committer) {
    this.#pools = pools;
    this.#committer = committer;
  }

  create(account: AccountNumber, plant: NewPlant): Promise<CreateOutcome> {
    return this.#committer.create(account, plant);
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[]): Promise<CreateOutcome[]> {
    return this.#committer.createMany(account, plants);
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    const [row] = await this.#read<PlantRow>(FIND, [account, id]);
    return row && plantFromRow(row);
  }

  async change(account: AccountNumber, id: bigint, patch: PlantPatch, allows: PlantCondition): Promise<Plant> {
    for (;;) {
      const before = await this.#required(account, id, allows);
      const after = patched(before, patch, Math.max(Date.now(), before.updatedAt));
      if (after === before) return after;
      const values = [...placeOf(account, before), after.name, after.tag ?? null, after.revision, after.updatedAt];
      if (await this.#write(CHANGE, values)) return after;
    }
  }

  async remove(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<void> {
    for (;;) {
      const plant = await this.#required(account, id, allows);
      if (await this.#write(REMOVE, placeOf(account, plant))) return;
    }
  }

  async count(account: AccountNumber): Promise<number> {
    const [row] = await this.#read<{ count: number }>(COUNT, [account]);
    return row?.count ?? 0;
  }

  /** In slices, so that no transaction runs for long. */
  async removeAll(account: AccountNumber): Promise<void> {
    while (await this.#write(REMOVE_SLICE, [account]));
    await this.#write("DELETE FROM plant_counts WHERE account = $1", [account]);
  }

  async list(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    try {
      return await scannedPage(this.#pools.shared, account, query);
    } catch (error) {
      throw toFailure(error);
    }
  }

  export(account: AccountNumber): AsyncIterable<readonly Plant[]> {
    return exportPages(this.#pools.exporting, account);
  }

  async #required(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<Plant> {
    const [row] = await this.#read<PlantRow>(FIND_ON_DISK, [account, id]);
    if (!row) throw new Failure("plant-unknown", `There is no plant with the id ${id}`);
    const plant = plantFromRow(row);
    allows(plant);
    return plant;
  }

  async #read<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.#pools.shared.query<Row>(text, values)).rows;
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Whether it changed anything. */
  async #write(text: string, values: unknown[]): Promise<boolean> {
    try {
      const { rows, rowCount } = await this.#pools.shared.query<{ count?: number }>(text, values);
      return (rows[0]?.count ?? rowCount ?? 0) > 0;
    } catch (error) {
      if (isConflict(error)) return this.#write(text, values);
      throw toWriteFailure(error);
    }
  }
}

/** The plant as it was read: a change or removal meets it unchanged, or nothing. */
function placeOf(account: AccountNumber, plant: Plant): unknown[] {
  return [account, plant.id, plant.number, plant.revision];
}
