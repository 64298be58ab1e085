import type { Doer } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import {
  type AccountNumber,
  isToRemove,
  type LongPlant,
  type NewPlant,
  newPlantOf,
  type Plant,
  type PlantRemoval,
  type PlantUpdate,
  type PutPlant,
  patchOf,
  patchTo,
  type RemovalOutcome,
  type UpdateOutcome,
} from "#core/plant.ts";
import { ALWAYS, type PlantCondition, type PlantRecords, type PutCondition } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import { type ChangeParts, PlantChange } from "./change-batch.ts";
import type { Committer } from "./committer.ts";
import type { Acted, PlantAct } from "./plant-act.ts";

type Creates = Pick<PlantRecords, "create" | "createMany">;
type Find = (account: AccountNumber, id: bigint) => Promise<Plant | LongPlant | undefined>;
type Done = Exclude<Acted, { readonly bytes: number }>;
type Changed = Extract<Acted, { readonly plant: Plant }>;

/**
 * Changes and removals through a committer. A write that either creates a plant or changes the one that is there goes to a
 * batch of changes first. If there is no such plant, it goes to a batch of creates, and if its id was taken meanwhile, to a
 * batch of changes again. Only the last of these has written anything, and it did so as one unit.
 */
export function plantChanges(
  committer: Pick<Committer, "add">,
  creates: Creates,
  find: Find,
): Pick<PlantRecords, "change" | "remove" | "put" | "updateMany" | "removeMany"> {
  const write = (acts: readonly [PlantAct, ...PlantAct[]], parts: ChangeParts) =>
    new Promise<Acted[]>((resolve, reject) =>
      committer.add(new PlantChange(acts[0].account, acts, resolve, reject, parts)),
    );
  /** Acts on plants with long texts are repeated after the others, one by one. A single act has one time limit for both tries. */
  const writeAll = async (acts: readonly PlantAct[], span: RequestSpan | undefined): Promise<Done[]> => {
    const [first, ...others] = acts;
    if (!first) return [];
    const since = others.length === 0 ? performance.now() : undefined;
    const done: Done[] = [];
    for (const [at, acted] of (await write([first, ...others], { span, since })).entries()) {
      let one: Acted = acted;
      while ("bytes" in one) [one = one] = await write([acts[at] ?? first], { span, since, bytes: one.bytes });
      done.push(one);
    }
    return done;
  };
  const act = async (one: PlantAct, span: RequestSpan | undefined) => {
    const [done] = await writeAll([one], span);
    if (!done || "refusal" in done) throw done?.refusal;
    return done as Changed;
  };
  const parts = { creates, find, act, writeAll };
  return {
    change: async (account, id, patch, allows, span, by) => (await act({ account, id, patch, allows, by }, span)).plant,
    async remove(account, id, allows, span, by) {
      await act({ account, id, patch: undefined, allows, by }, span);
    },
    put: (...asked) => put(parts, ...asked),
    updateMany: (...asked) => updateMany(parts, ...asked),
    async removeMany(account, removals, span, by) {
      const acts = removals.map((removal) => ({
        account,
        id: removal.id,
        patch: undefined,
        by,
        allows: removal.etag === undefined ? ALWAYS : requiring(removal),
      }));
      return (await writeAll(acts, span)).map(removalOutcome);
    },
  };
}

interface Parts {
  readonly creates: Creates;
  readonly find: Find;
  readonly act: (one: PlantAct, span: RequestSpan | undefined) => Promise<Changed>;
  readonly writeAll: (acts: readonly PlantAct[], span: RequestSpan | undefined) => Promise<Done[]>;
}

async function put(
  { creates, find, act }: Parts,
  account: AccountNumber,
  plant: NewPlant,
  allows: PutCondition,
  span: RequestSpan | undefined,
  by: Doer,
): Promise<PutPlant> {
  for (;;) {
    try {
      const acted = await act({ account, id: plant.id, patch: patchTo(plant), allows, by }, span);
      return { plant: acted.plant, outcome: acted.isChanged ? "replaced" : "unchanged" };
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
    allows(undefined);
    if ((await creates.create(account, plant, span, personOf(by))) !== "created") continue;
    const found = await find(account, plant.id).catch(() => undefined);
    return { plant: asCreated(plant, found), outcome: "created" };
  }
}

/**
 * The plant as it was created, though it may have been changed since. Of one that is gone already nothing is left that
 * could still be changed: its version is none that a plant ever has.
 */
function asCreated(plant: NewPlant, found: Plant | LongPlant | undefined): Plant {
  const { number = 0n, createdAt = Date.now() } = found ?? {};
  return { ...plant, number, revision: 1, createdAt, updatedAt: createdAt };
}

async function updateMany(
  { creates, writeAll }: Parts,
  account: AccountNumber,
  updates: readonly PlantUpdate[],
  span: RequestSpan | undefined,
  by: Doer,
): Promise<UpdateOutcome[]> {
  const outcomes: UpdateOutcome[] = [];
  let left = [...updates.entries()];
  while (left.length > 0) {
    const acts = left.map(([, update]) => ({ account, id: update.id, patch: patchOf(update), allows: ALWAYS, by }));
    const acted = await writeAll(acts, span);
    const missing = left.filter(([at], place) => {
      const outcome = updateOutcome(acted[place] as Done);
      if (outcome) outcomes[at] = outcome;
      return !outcome;
    });
    left = [];
    /** The first record of each id that has a name for a new plant; those after it have to wait for it. */
    const toCreate = new Map<bigint, { readonly at: number; readonly plant: NewPlant }>();
    for (const [at, update] of missing) {
      const plant = newPlantOf(update);
      if (toCreate.has(update.id)) left.push([at, update]);
      else if (plant) toCreate.set(update.id, { at, plant });
      else outcomes[at] = "nameless";
    }
    const first = [...toCreate.values()];
    const plants = first.map(({ plant }) => plant);
    const created = plants.length > 0 ? await creates.createMany(account, plants, span, personOf(by)) : [];
    const taken = first.flatMap(({ at }, place): [number, PlantUpdate][] => {
      const outcome = created[place];
      if (outcome === "created" || outcome === "unchanged") outcomes[at] = outcome;
      return outcome === "created" || outcome === "unchanged" ? [] : [[at, updates[at] as PlantUpdate]];
    });
    left = [...taken, ...left].sort(([a], [b]) => a - b);
  }
  return outcomes;
}

/** Refuses to remove another version of the plant. */
function requiring(removal: PlantRemoval): PlantCondition {
  return (plant) => {
    if (!isToRemove(removal, plant)) throw new Failure("precondition-failed", "");
  };
}

/** Undefined if there is no such plant. */
function updateOutcome(done: Done): UpdateOutcome | undefined {
  if ("plant" in done) return done.isChanged ? "updated" : "unchanged";
  if ("isRemoved" in done || isUnknown(done.refusal)) return undefined;
  throw done.refusal;
}

function removalOutcome(done: Done): RemovalOutcome {
  if (!("refusal" in done)) return "removed";
  if (isUnknown(done.refusal)) return "missing";
  if (done.refusal instanceof Failure && done.refusal.code === "precondition-failed") return "changed";
  throw done.refusal;
}

function isUnknown(error: unknown): boolean {
  return error instanceof Failure && error.code === "plant-unknown";
}

/** The creator to store: only people are stored for creates. */
function personOf(by: Doer): Doer | undefined {
  return by.kind === "person" ? by : undefined;
}
