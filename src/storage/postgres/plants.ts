import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched, removedAt } from "#core/plant.ts";
import type { PlantCondition, PlantStore } from "#core/store.ts";
import type { RequestSpan } from "#core/trace.ts";
import { requiredPlant } from "../plant-row.ts";
import type { Committer } from "./committer.ts";
import { toWriteFailure } from "./errors.ts";
import { whenNoConflict } from "./in-transaction.ts";
import { CHANGE, changeValues, REMOVE, removeValues } from "./plant-change.ts";
import { PlantLookup } from "./plant-lookup.ts";
import type { Pool } from "./pool.ts";

/** Finds a plant in a transaction whose end waits for the disk and the synchronous standby (see plant-batch.ts). */
const FIND_ON_DISK = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at,
  pg_logical_emit_message(true, 'plantstore', 'read back') FROM plants WHERE account = $1 AND id = $2`;

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

interface PlantsOptions {
  /** False if the feed of changes is turned off. */
  readonly keepsEvents: boolean;
  /** Called after each change and removal. The committer calls it for creates. */
  readonly onCommit: () => void;
}

export class PostgresPlants implements PlantStore {
  readonly #lookup: PlantLookup;
  readonly #keepsEvents: boolean;
  readonly #onCommit: () => void;

  constructor(
    private readonly pool: Pool,
    private readonly committer: Committer,
    { keepsEvents, onCommit }: PlantsOptions,
  ) {
    this.#lookup = new PlantLookup(pool);
    this.#keepsEvents = keepsEvents;
    this.#onCommit = onCommit;
  }

  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan): Promise<CreateOutcome> {
    return this.committer.create(account, plant, span);
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[], span?: RequestSpan): Promise<CreateOutcome[]> {
    return this.committer.createMany(account, plants, span);
  }

  find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    return this.#lookup.find(account, id);
  }

  async change(account: AccountNumber, id: bigint, patch: PlantPatch, allows: PlantCondition): Promise<Plant> {
    for (;;) {
      const before = await this.#required(account, id, allows);
      const after = patched(before, patch, Date.now());
      if (after === before) return after;
      if (await this.#write(CHANGE, changeValues(account, before, after, this.#keepsEvents))) return after;
    }
  }

  async remove(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<void> {
    for (;;) {
      const plant = await this.#required(account, id, allows);
      const at = removedAt(plant, Date.now());
      if (await this.#write(REMOVE, removeValues(account, plant, at, this.#keepsEvents))) return;
    }
  }

  count(account: AccountNumber): Promise<number> {
    return this.#lookup.count(account);
  }

  /** Removes in slices, so that no transaction runs for long. */
  async removeAll(account: AccountNumber): Promise<void> {
    while (await this.#write(REMOVE_SLICE, [account]));
    await this.#write("DELETE FROM plant_counts WHERE account = $1", [account]);
  }

  async #required(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<Plant> {
    return requiredPlant(await this.#lookup.row(FIND_ON_DISK, account, id), id, allows);
  }

  /** Returns true if a row changed. */
  async #write(text: string, values: unknown[]): Promise<boolean> {
    try {
      const write = () => this.pool.query<{ count?: number }>(text, values);
      const { rows, rowCount } = await whenNoConflict(write);
      this.#onCommit();
      return (rows[0]?.count ?? rowCount ?? 0) > 0;
    } catch (error) {
      throw toWriteFailure(error);
    }
  }
}
