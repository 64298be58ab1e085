import { type Doer, storedActor } from "#core/event-actor.ts";
import { type AccountNumber, type Plant, patched, plantUnknown, removedAt, textUnits } from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import { ALWAYS } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import { KIND_CHANGED, KIND_CREATED, KIND_REMOVED, OLD_TEXTS, storedTexts } from "../event-row.ts";
import { type PlantRow, plantFromRow } from "../plant-row.ts";
import { type QueuedWrite, SMALL_SIZE_UNITS_MAX, WRITE_SIZE_UNITS } from "../write-queue.ts";
import { ActsAtOnce } from "./acts-at-once.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { int8Array, textArray } from "./binary-array.ts";
import { isOutcomeUnknown } from "./errors.ts";
import type { Acted, PlantAct } from "./plant-act.ts";
import { CHANGE_PLANTS, FIND_PLANTS, WAIT_FOR_DISK } from "./plant-change.ts";
import { type LentConnection, msUntil } from "./pool.ts";

export interface ChangeParts {
  readonly span: RequestSpan | undefined;
  /** The bytes of the plant's texts, if it is one whose texts are read however long they are. */
  readonly bytes?: number | undefined;
  readonly since?: number | undefined;
}

/** Acts of one account that wait for their transaction. Each plant's are done in their order. */
export class PlantChange implements QueuedWrite {
  readonly kind = "change";
  readonly rows: number;
  readonly size: number;
  readonly isLarge: boolean;
  readonly span: RequestSpan | undefined;
  readonly bytesMax: number;
  readonly since: number;

  constructor(
    readonly account: AccountNumber,
    readonly acts: readonly PlantAct[],
    readonly resolve: (acted: Acted[]) => void,
    readonly reject: (error: unknown) => void,
    private readonly parts: ChangeParts,
  ) {
    const { span, bytes = 0, since = performance.now() } = parts;
    this.rows = acts.length;
    this.span = span;
    this.since = since;
    this.size = acts.reduce((size, { patch }) => size + (patch ? textUnits(patch) : 0), WRITE_SIZE_UNITS + bytes);
    this.isLarge = this.size > SMALL_SIZE_UNITS_MAX;
    this.bytesMax = bytes > 0 ? NO_LIMIT : SMALL_SIZE_UNITS_MAX;
  }

  /** Settles it with what was done; or returns the acts that have to be done again as a write of their own, which settles it. */
  settle(done: ReadonlyMap<PlantAct, Acted>): PlantChange | undefined {
    const acted = this.acts.map((act) => done.get(act));
    const again = this.acts.filter((_, at) => !acted[at]);
    if (again.length === 0) {
      this.resolve(acted as Acted[]);
      return undefined;
    }
    if (again.length === this.acts.length) return this;
    const resolve = (rest: Acted[]) => {
      const next = rest.values();
      this.resolve(acted.map((each) => each ?? (next.next().value as Acted)));
    };
    return new PlantChange(this.account, again, resolve, this.reject, { ...this.parts, since: this.since });
  }
}

/** A row of `plant_events`. A created event has its plant's number; the others get theirs from the sequence. */
interface PlannedEvent {
  readonly number: bigint | null;
  readonly kind: number;
  readonly at: number;
  readonly plant: Plant;
  readonly previous: Plant | undefined;
  readonly by: Doer | undefined;
}

/** A plant as it was read, and as the acts of the batch leave it: undefined once it is removed. */
interface PlannedPlant {
  readonly account: AccountNumber;
  /** The row's location (ctid) when it was read. */
  readonly place: string;
  readonly before: Plant;
  after: Plant | undefined;
  readonly events: PlannedEvent[];
}

/** A plant in the database; `bytes` are those of its texts, which are null if there are too many. */
type FoundRow = PlantRow & { readonly account: number; readonly place: string; readonly bytes: number };

const NO_LIMIT = 2 ** 31 - 1;

/**
 * Writes batches of changes and removals. An act of usual size that is the only one on its plant, and has no condition, is
 * done at once (`ActsAtOnce`). For the other acts, and for those that could not be done at once, the plants are read first;
 * the acts on each plant are applied in their order, and the plants are stored with their events in one statement. A plant
 * that somebody else changed after it was read keeps its state, and its acts are written again. The commit of each statement
 * waits for the disk and the synchronous standby, and so for all that was read: refusals are answered after it too.
 */
export class ChangeBatches implements BatchWriter<PlantChange> {
  readonly #atOnce: ActsAtOnce;

  /** `keepsEvents` is false if the feed of changes is turned off. */
  constructor(private readonly keepsEvents: boolean) {
    this.#atOnce = new ActsAtOnce(keepsEvents);
  }

  async write(client: LentConnection, batch: readonly PlantChange[], deadline: number) {
    const acted = new Map<PlantAct, Acted>();
    try {
      await this.#atOnce.write(client, independentOf(batch), acted, deadline);
      await this.#readAndWrite(client, batch, acted, deadline);
    } catch (error) {
      // What is done is done, and only the rest is written again; unless it may be done too, and would then be refused.
      if (acted.size === 0) throw error;
      if (isOutcomeUnknown(error)) {
        for (const change of batch) change.settle(acted);
        throw error;
      }
    }
    return (at: number) => batch[at]?.settle(acted);
  }

  /** Does the acts that have not been done. */
  async #readAndWrite(
    client: LentConnection,
    batch: readonly PlantChange[],
    acted: Map<PlantAct, Acted>,
    deadline: number,
  ): Promise<void> {
    const all = batch.flatMap(({ acts, bytesMax }) => acts.map((act) => ({ act, bytesMax })));
    const toRead = all.filter(({ act }) => !acted.has(act));
    if (toRead.length === 0) return;
    const found = await find(client, toRead, deadline);
    const planned = new Map<string, PlannedPlant>();
    const outcomes = toRead.map(({ act }): [PlantAct, Acted] => {
      const row = found.get(keyOf(act));
      return [act, row && row.name === null ? { bytes: row.bytes } : plan(act, row, planned)];
    });
    const written = [...planned].filter(([, { events }]) => events.length > 0);
    const met = await this.#store(
      client,
      written.map(([, plant]) => plant),
      deadline,
    );
    const changedMeanwhile = new Set(written.flatMap(([key], at) => (met.has(at) ? [] : [key])));
    for (const [act, outcome] of outcomes) if (!changedMeanwhile.has(keyOf(act))) acted.set(act, outcome);
  }

  /** Resolves with the places, in `plants`, of those that were written: nobody had changed them since they were read. */
  async #store(client: LentConnection, plants: readonly PlannedPlant[], deadline: number): Promise<Set<number>> {
    const query_timeout = msUntil(deadline);
    if (plants.length === 0) {
      await client.query({ ...WAIT_FOR_DISK, query_timeout });
      return new Set();
    }
    const events = plants.flatMap(({ events }, at) =>
      (this.keepsEvents ? events : []).map((event) => ({ position: at + 1, ...event })),
    );
    const texts = events.map(storedTexts);
    const values = [
      textArray(plants.map(({ place }) => place)),
      int8Array(plants.map(({ account }) => account)),
      int8Array(plants.map(({ before }) => before.id)),
      int8Array(plants.map(({ before }) => before.number)),
      int8Array(plants.map(({ before }) => before.revision)),
      int8Array(plants.map(({ after }) => after?.revision ?? 0)),
      int8Array(plants.map(({ after }) => after?.updatedAt ?? 0)),
      int8Array(events.map(({ position }) => position)),
      int8Array(events.map(({ number }) => number ?? 0n)),
      int8Array(events.map(({ kind }) => kind)),
      int8Array(events.map(({ at }) => at)),
      int8Array(events.map(({ plant }) => plant.updatedAt)),
      textArray(events.map(({ by }) => (by ? storedActor(by) : null))),
      textArray(events.map(({ by }) => by?.importMark ?? null)),
      ...MEMBER_NAMES.map((member) => textArray(plants.map(({ after }) => after?.[member] ?? null))),
      ...[...MEMBER_NAMES, ...OLD_TEXTS].map((_, at) => textArray(texts.map((row) => row[at] ?? null))),
    ];
    const { rows } = await client.query<{ met: string[] | null }>({ ...CHANGE_PLANTS, query_timeout }, values);
    const met = rows[0]?.met;
    return met ? new Set(met.map((position) => Number(position) - 1)) : new Set(plants.keys());
  }
}

function keyOf({ account, id }: { readonly account: AccountNumber; readonly id: bigint | string }): string {
  return `${account}:${id}`;
}

/** The acts of usual size that are the only ones on their plants, and have no condition; none of an import. */
function independentOf(batch: readonly PlantChange[]): PlantAct[] {
  const single = new Map<string, PlantAct | undefined>();
  for (const { acts, bytesMax } of batch) {
    const isUsual = bytesMax === SMALL_SIZE_UNITS_MAX;
    for (const act of acts) {
      const key = keyOf(act);
      const isIndependent = isUsual && isSmall(act) && act.allows === ALWAYS && !act.by?.importMark && !single.has(key);
      single.set(key, isIndependent ? act : undefined);
    }
  }
  return [...single.values()].filter((act) => act !== undefined);
}

function isSmall({ patch }: PlantAct): boolean {
  return !patch || textUnits(patch) <= SMALL_SIZE_UNITS_MAX;
}

type ToRead = { readonly act: PlantAct; readonly bytesMax: number };

/** Long texts are left out, so that what a batch holds in memory is bounded by its own size. */
async function find(client: LentConnection, toRead: readonly ToRead[], deadline: number) {
  const wanted = new Map<string, ToRead>();
  for (const each of toRead) {
    const key = keyOf(each.act);
    if ((wanted.get(key)?.bytesMax ?? 0) < each.bytesMax) wanted.set(key, each);
  }
  const all = [...wanted.values()];
  const values = [
    int8Array(all.map(({ act }) => act.account)),
    int8Array(all.map(({ act }) => act.id)),
    int8Array(all.map(({ bytesMax }) => bytesMax)),
  ];
  const { rows } = await client.query<FoundRow>({ ...FIND_PLANTS, query_timeout: msUntil(deadline) }, values);
  return new Map(rows.map((row) => [keyOf({ account: row.account, id: String(row.id) }), row]));
}

/** Applies an act to its plant as the acts before it left it. */
function plan(act: PlantAct, row: FoundRow | undefined, planned: Map<string, PlannedPlant>): Acted {
  const { account, id, patch, allows, by } = act;
  const key = keyOf(act);
  const known = planned.get(key) ?? (row && newPlan(account, row));
  if (known) planned.set(key, known);
  const plant = known?.after;
  try {
    if (!known || !plant) throw plantUnknown(id);
    allows(plant);
    const now = Date.now();
    const after = patch && patched(plant, patch, now);
    if (after === plant) return { plant, isChanged: false };
    const kind = after ? KIND_CHANGED : KIND_REMOVED;
    const at = after?.updatedAt ?? removedAt(plant, now);
    if (plant.revision === 1)
      known.events.push({
        number: plant.number,
        kind: KIND_CREATED,
        at: plant.createdAt,
        plant,
        previous: undefined,
        by: undefined,
      });
    known.events.push({ number: null, kind, at, plant: after ?? plant, previous: after && plant, by });
    known.after = after;
    return after ? { plant: after, isChanged: true } : { isRemoved: true };
  } catch (refusal) {
    return { refusal };
  }
}

function newPlan(account: AccountNumber, row: FoundRow): PlannedPlant {
  const before = plantFromRow(row);
  return { account, place: row.place, before, after: before, events: [] };
}
