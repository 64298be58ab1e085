import type { MatchCount } from "#core/match-count.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { patched, removedAt } from "#core/plant.ts";
import { plantFilter } from "#core/plant-filter.ts";
import type { PlantChoice, PlantCondition, PlantPage, PlantQuery, PlantStore } from "#core/store.ts";
import type { RequestSpan } from "#core/trace.ts";
import { EXPORT_PAGE_LIMITS, FairQueue } from "../fair-queue.ts";
import { countInSlices } from "../match-count.ts";
import { EMPTY_PAGE, firstFound, pageRequest } from "../plant-page.ts";
import { type PlantRow, plantFromRow, requiredPlant } from "../plant-row.ts";
import { ReadingPace } from "../reading-pace.ts";
import type { Committer } from "./committer.ts";
import { toFailure, toWriteFailure } from "./errors.ts";
import { ExportSlots } from "./export-slots.ts";
import { countedSlice } from "./match-count.ts";
import { readInOrder } from "./ordered-reading.ts";
import { CHANGE, changeValues, REMOVE, removeValues } from "./plant-change.ts";
import { exportPages } from "./plant-export.ts";
import { scannedPage } from "./plant-scan.ts";
import type { Pools } from "./pools.ts";
import { searchedPage } from "./search/plant-search.ts";
import { Searching } from "./searching.ts";
import { suggestedTags } from "./tag-sample.ts";
import { whenNoConflict } from "./when-no-conflict.ts";

const FIND = `
SELECT number::text, id::text, name, tag, revision, created_at, updated_at FROM plants WHERE account = $1 AND id = $2`;

/** The same query in a transaction whose end waits for the disk and the synchronous standby (see plant-batch.ts). */
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

const COUNT = "SELECT coalesce(sum(count), 0)::bigint AS count FROM plant_counts WHERE account = $1";

const GREATEST_ID = "SELECT max(id)::text AS id FROM plants WHERE account = $1";

type PlantPools = Pick<Pools, "shared" | "searching" | "exporting">;

interface PlantsOptions {
  readonly observer: Observer;
  /** False if the feed of changes is turned off. */
  readonly keepsEvents: boolean;
  /** Called after each change and removal. The committer calls it for creates. */
  readonly onCommit: () => void;
}

export class PostgresPlants implements PlantStore {
  readonly #pools: PlantPools;
  readonly #searching: Searching;
  readonly #exportSlots = new ExportSlots();
  readonly #exportPages: FairQueue;
  readonly #committer: Committer;
  readonly #observer: Observer;
  readonly #keepsEvents: boolean;
  readonly #onCommit: () => void;

  constructor(pools: PlantPools, committer: Committer, { observer, keepsEvents, onCommit }: PlantsOptions) {
    const pace = new ReadingPace(() => committer.rowsQueued);
    this.#searching = new Searching(pools.searching, pace);
    this.#exportPages = new FairQueue(EXPORT_PAGE_LIMITS, pace);
    this.#keepsEvents = keepsEvents;
    this.#onCommit = onCommit;
    this.#pools = pools;
    this.#committer = committer;
    this.#observer = observer;
  }

  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan): Promise<CreateOutcome> {
    return this.#committer.create(account, plant, span);
  }

  createMany(account: AccountNumber, plants: readonly NewPlant[], span?: RequestSpan): Promise<CreateOutcome[]> {
    return this.#committer.createMany(account, plants, span);
  }

  async find(account: AccountNumber, id: bigint): Promise<Plant | undefined> {
    const [row] = await this.#read<PlantRow>(FIND, [account, id]);
    return row && plantFromRow(row);
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

  async count(account: AccountNumber): Promise<number> {
    const [row] = await this.#read<{ count: number }>(COUNT, [account]);
    return row?.count ?? 0;
  }

  async greatestId(account: AccountNumber): Promise<bigint | undefined> {
    const [row] = await this.#read<{ id: string | null }>(GREATEST_ID, [account]);
    return row?.id == null ? undefined : BigInt(row.id);
  }

  async countMatches(account: AccountNumber, filter: PlantChoice): Promise<MatchCount> {
    if (plantFilter(filter).open) return { count: await this.count(account), atLeast: false };
    try {
      return await countInSlices((after) =>
        this.#searching.run(account, (client) => countedSlice(client, account, filter, after)),
      );
    } catch (error) {
      throw toFailure(error);
    }
  }

  async suggestTags(account: AccountNumber): Promise<readonly string[]> {
    try {
      return await this.#searching.run(account, (client) => suggestedTags(client, account));
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Removes in slices, so that no transaction runs for long. */
  async removeAll(account: AccountNumber): Promise<void> {
    while (await this.#write(REMOVE_SLICE, [account]));
    await this.#write("DELETE FROM plant_counts WHERE account = $1", [account]);
  }

  async list(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    const request = pageRequest(account, query);
    if (!request) return EMPTY_PAGE;
    try {
      if (request.filter.open) return await readInOrder(this.#pools.shared, (client) => scannedPage(client, request));
      const start = performance.now();
      const page = await firstFound(query, (each) =>
        this.#searching.run(account, (client) => searchedPage(client, account, each)),
      );
      this.#observer.searched({ ms: performance.now() - start });
      return page;
    } catch (error) {
      throw toFailure(error);
    }
  }

  async *export(account: AccountNumber): AsyncGenerator<readonly Plant[], void> {
    const end = this.#exportSlots.begin(account);
    try {
      yield* exportPages(this.#pools.exporting, this.#exportPages, account);
    } finally {
      end();
    }
  }

  async #required(account: AccountNumber, id: bigint, allows: PlantCondition): Promise<Plant> {
    const [row] = await this.#read<PlantRow>(FIND_ON_DISK, [account, id]);
    return requiredPlant(row, id, allows);
  }

  async #read<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.#pools.shared.query<Row>(text, values)).rows;
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Returns true if a row changed. */
  async #write(text: string, values: unknown[]): Promise<boolean> {
    try {
      const write = () => this.#pools.shared.query<{ count?: number }>(text, values);
      const { rows, rowCount } = await whenNoConflict(write);
      this.#onCommit();
      return (rows[0]?.count ?? rowCount ?? 0) > 0;
    } catch (error) {
      throw toWriteFailure(error);
    }
  }
}
