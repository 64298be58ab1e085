import type { Actor } from "#core/caller.ts";
import { storedActor } from "#core/event-actor.ts";
import {
  type AccountNumber,
  type Plant,
  type PlantPatch,
  patched,
  plantUnknown,
  removedAt,
  textUnits,
} from "#core/plant.ts";
import type { PlantCondition } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import { KIND_CHANGED, KIND_CREATED, KIND_REMOVED } from "../event-row.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import { type QueuedWrite, SMALL_SIZE_UNITS_MAX, WRITE_SIZE_UNITS } from "../write-queue.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { int8Array, textArray } from "./binary-array.ts";
import { CHANGE_PLANTS, FIND_PLANTS, WAIT_FOR_DISK } from "./plant-change.ts";
import { type LentConnection, msUntil } from "./pool.ts";

/** A change or the removal of one plant. */
export interface PlantAct {
  readonly account: AccountNumber;
  readonly id: bigint;
  /** Undefined removes the plant. */
  readonly patch: PlantPatch | undefined;
  readonly allows: PlantCondition;
  readonly by: Actor<"event"> | undefined;
  readonly span: RequestSpan | undefined;
}

/** An act that waits for its transaction. It resolves with the plant after the change, or before its removal. */
export class PlantChange implements QueuedWrite {
  readonly kind = "change";
  readonly rows = 1;
  readonly isLarge: boolean;
  readonly account: AccountNumber;
  readonly span: RequestSpan | undefined;

  constructor(
    readonly act: PlantAct,
    readonly resolve: (plant: Plant) => void,
    readonly reject: (error: unknown) => void,
    readonly size = WRITE_SIZE_UNITS + (act.patch ? textUnits({ name: "", ...act.patch }) : 0),
    readonly since = performance.now(),
  ) {
    this.account = act.account;
    this.span = act.span;
    this.isLarge = size > SMALL_SIZE_UNITS_MAX;
  }

  /** The same with the size of a plant that turned out to be large. */
  sized(size: number): PlantChange {
    return new PlantChange(this.act, this.resolve, this.reject, size, this.since);
  }
}

/** A row of `plant_events`. A created event has its plant's number; the others get theirs from the sequence. */
interface PlannedEvent {
  readonly number: bigint | null;
  readonly kind: number;
  readonly at: number;
  readonly plant: Plant;
  readonly previous?: Plant;
  readonly actor: string | null;
}

/** A plant as it was read, and as the acts of the batch leave it: undefined once it is removed. */
interface PlannedPlant {
  readonly account: AccountNumber;
  readonly before: Plant;
  after: Plant | undefined;
  readonly events: PlannedEvent[];
}

type Settled = { readonly plant: Plant } | { readonly refusal: unknown };

/** A plant in the database; `bytes` are those of its texts, which are null if there are too many. */
type FoundRow = PlantRow & { readonly account: number; readonly bytes: number };

const NO_LIMIT = 2 ** 31 - 1;

/**
 * Writes batches of changes and removals: reads their plants, applies all acts of each plant in their order, and stores the
 * plants and their events in one statement. A plant that somebody else changed after it was read keeps its state, and its
 * acts are written again. The commit of the statement waits for the disk and the synchronous standby, and so for all
 * that the batch has read: refusals are answered after it too.
 */
export class ChangeBatches implements BatchWriter<PlantChange> {
  /** `keepsEvents` is false if the feed of changes is turned off. */
  constructor(private readonly keepsEvents: boolean) {}

  async write(client: LentConnection, batch: readonly PlantChange[], deadline: number) {
    const found = await find(client, batch, deadline);
    const planned = new Map<string, PlannedPlant>();
    const settled = batch.map((change) => {
      const row = found.get(keyOf(change.act));
      return row && row.name === null ? row : plan(change.act, row, planned);
    });
    const written = [...planned].filter(([, { events }]) => events.length > 0);
    const met = await this.#store(
      client,
      written.map(([, plant]) => plant),
      deadline,
    );
    const changedMeanwhile = new Set(written.flatMap(([key], at) => (met.has(at) ? [] : [key])));
    return (at: number) => {
      const change = batch[at] as PlantChange;
      const outcome = settled[at] as FoundRow | Settled;
      if ("bytes" in outcome) return change.sized(Math.max(outcome.bytes, SMALL_SIZE_UNITS_MAX + 1));
      if (changedMeanwhile.has(keyOf(change.act))) return change;
      if ("refusal" in outcome) change.reject(outcome.refusal);
      else change.resolve(outcome.plant);
      return undefined;
    };
  }

  /** Resolves with the places of the plants that were still as they were read. */
  async #store(client: LentConnection, plants: readonly PlannedPlant[], deadline: number): Promise<Set<number>> {
    const query_timeout = msUntil(deadline);
    if (plants.length === 0) {
      await client.query({ ...WAIT_FOR_DISK, query_timeout });
      return new Set();
    }
    const events = plants.flatMap(({ events }, place) =>
      (this.keepsEvents ? events : []).map((event) => ({ place, ...event })),
    );
    const values = [
      int8Array(plants.map(({ account }) => account)),
      int8Array(plants.map(({ before }) => before.id)),
      int8Array(plants.map(({ before }) => before.number)),
      int8Array(plants.map(({ before }) => before.revision)),
      textArray(plants.map(({ after }) => after?.name ?? null)),
      textArray(plants.map(({ after }) => after?.tag ?? null)),
      int8Array(plants.map(({ after }) => after?.revision ?? 0)),
      int8Array(plants.map(({ after }) => after?.updatedAt ?? 0)),
      int8Array(events.map(({ place }) => place)),
      int8Array(events.map(({ number }) => number ?? 0n)),
      int8Array(events.map(({ kind }) => kind)),
      int8Array(events.map(({ at }) => at)),
      textArray(events.map(({ plant }) => plant.name)),
      textArray(events.map(({ plant }) => plant.tag ?? null)),
      textArray(events.map(({ plant, previous }) => (previous && previous.name !== plant.name ? previous.name : null))),
      textArray(events.map(({ previous }) => previous?.tag ?? null)),
      int8Array(events.map(({ plant }) => plant.updatedAt)),
      textArray(events.map(({ actor }) => actor)),
    ];
    const { rows } = await client.query<{ met: string[] | null }>({ ...CHANGE_PLANTS, query_timeout }, values);
    const met = rows[0]?.met;
    return met ? new Set(met.map(Number)) : new Set(plants.keys());
  }
}

function keyOf({ account, id }: { readonly account: AccountNumber; readonly id: bigint | string }): string {
  return `${account}:${id}`;
}

/** Small batches leave out long texts, so that what a batch holds in memory is bounded by its own size. */
async function find(client: LentConnection, batch: readonly PlantChange[], deadline: number) {
  const acts = [...new Map(batch.map(({ act }) => [keyOf(act), act])).values()];
  const bytesMax = batch.some(({ isLarge }) => isLarge) ? NO_LIMIT : SMALL_SIZE_UNITS_MAX;
  const values = [int8Array(acts.map(({ account }) => account)), int8Array(acts.map(({ id }) => id)), bytesMax];
  const { rows } = await client.query<FoundRow>({ ...FIND_PLANTS, query_timeout: msUntil(deadline) }, values);
  return new Map(rows.map((row) => [keyOf({ account: row.account, id: String(row.id) }), row]));
}

/** Applies an act to its plant as the acts before it left it. */
function plan(act: PlantAct, row: FoundRow | undefined, planned: Map<string, PlannedPlant>): Settled {
  const { account, id, patch, allows, by } = act;
  const key = keyOf(act);
  const known = planned.get(key) ?? (row && newPlan(account, plantFromRow(row)));
  if (known) planned.set(key, known);
  const plant = known?.after;
  try {
    if (!known || !plant) throw plantUnknown(id);
    allows(plant);
    const now = Date.now();
    const after = patch && patched(plant, patch, now);
    if (after === plant) return { plant };
    const actor = by ? storedActor(by) : null;
    const kind = after ? KIND_CHANGED : KIND_REMOVED;
    const at = after?.updatedAt ?? removedAt(plant, now);
    if (plant.revision === 1)
      known.events.push({ number: plant.number, kind: KIND_CREATED, at: plant.createdAt, plant, actor: null });
    known.events.push({ number: null, kind, at, plant: after ?? plant, ...(after && { previous: plant }), actor });
    known.after = after;
    return { plant: after ?? plant };
  } catch (refusal) {
    return { refusal };
  }
}

function newPlan(account: AccountNumber, before: Plant): PlannedPlant {
  return { account, before, after: before, events: [] };
}
