import { Failure } from "#core/failure.ts";
import {
  type CreateOutcome,
  isToRemove,
  type NewPlant,
  newPlantOf,
  outcomeBeside,
  type Plant,
  type PlantPatch,
  type PlantRemoval,
  type PlantUpdate,
  patched,
  patchOf,
  patchTo,
  type RemovalOutcome,
  type UpdateOutcome,
} from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import { copied } from "./bulk-window.ts";

/** A person has half of the memory of a store, into which those of a page fit. */
export const DRY_RUN_IDS_MAX = { program: 1_000_000, page: 250_000 } as const;
const CAPACITY_MIN = 4096;
/** Bytes per id: its number, the hashes of its texts, its state, and two slots of the index. */
export const DRY_RUN_ID_BYTES = 8 + 4 * MEMBER_NAMES.length + 1 + 2 * 4;

/** States of a plant. At 0 it is as it is stored. */
const REMOVED = 1;
const WRITTEN = 2;

/**
 * Remembers what the earlier records of a dry run would have done to each plant. It keeps 32-bit hashes of texts, so that an id
 * takes DRY_RUN_ID_BYTES whatever its plant holds. Each method receives the plant as it is stored now.
 */
export class DryRun {
  #ids = new BigInt64Array(CAPACITY_MIN);
  /** By member, then by place. */
  readonly #hashes = MEMBER_NAMES.map((member) => ({ member, of: new Uint32Array(CAPACITY_MIN) }));
  #states = new Uint8Array(CAPACITY_MIN);
  /** Open addressing: the places of ids, counted from 1. */
  #index = new Uint32Array(2 * CAPACITY_MIN);
  #length = 0;

  /** `grow` is called before room for so many more ids is taken, and may throw. */
  constructor(
    private readonly grow: (ids: number) => void,
    private readonly idsMax: number = DRY_RUN_IDS_MAX.program,
  ) {}

  create(plant: NewPlant, stored: Plant | undefined): CreateOutcome {
    const at = this.#placeOf(plant.id);
    if (this.#isKnown(at)) return this.#has(at, patchTo(plant)) ? "unchanged" : "taken";
    if (stored) return outcomeBeside(stored, plant);
    this.#patch(at, patchTo(plant));
    return "created";
  }

  update(update: PlantUpdate, stored: Plant | undefined): UpdateOutcome {
    const at = this.#placeOf(update.id);
    const patch = patchOf(update);
    if (this.#isKnown(at)) {
      if (this.#has(at, patch)) return "unchanged";
      this.#patch(at, patch);
      return "updated";
    }
    const after = stored ? patched(stored, patch, 0) : newPlantOf(update);
    if (!after) return "nameless";
    if (after === stored) return "unchanged";
    this.#patch(at, patchTo(after));
    return stored ? "updated" : "created";
  }

  remove(removal: PlantRemoval, stored: Plant | undefined): RemovalOutcome {
    const at = this.#placeOf(removal.id);
    if (!stored || this.#states[at] === REMOVED) return "missing";
    if (!isToRemove(removal, stored)) return "changed";
    this.#states[at] = REMOVED;
    return "removed";
  }

  /** Whether an earlier record would have created or changed it. */
  #isKnown(at: number): boolean {
    return this.#states[at] === WRITTEN;
  }

  #has(at: number, patch: PlantPatch): boolean {
    return this.#hashes.every(({ member, of }) => patch[member] === undefined || of[at] === hash(patch[member]));
  }

  #patch(at: number, patch: PlantPatch): void {
    this.#states[at] = WRITTEN;
    for (const { member, of } of this.#hashes) if (patch[member] !== undefined) of[at] = hash(patch[member]);
  }

  /** Every id has a place once it was asked for. */
  #placeOf(id: bigint): number {
    const slot = this.#slotOf(id);
    const known = this.#index[slot] ?? 0;
    if (known > 0) return known - 1;
    if (this.#length === this.idsMax) throw tooManyIds(this.idsMax);
    if (this.#length === this.#ids.length) {
      this.#grow();
      return this.#placeOf(id);
    }
    this.#ids[this.#length] = id;
    this.#index[slot] = ++this.#length;
    return this.#length - 1;
  }

  /** The slot of the id in the index, or the free one where it belongs. */
  #slotOf(id: bigint): number {
    const mask = this.#index.length - 1;
    let slot = Number(BigInt.asUintN(64, id * SPREADING) >> BigInt(64 - Math.log2(this.#index.length)));
    for (let place = this.#index[slot] ?? 0; place > 0 && this.#ids[place - 1] !== id; place = this.#index[slot] ?? 0)
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const length = 2 * this.#ids.length;
    this.grow(length - this.#ids.length);
    this.#ids = copied(this.#ids, new BigInt64Array(length));
    for (const hashes of this.#hashes) hashes.of = copied(hashes.of, new Uint32Array(length));
    this.#states = copied(this.#states, new Uint8Array(length));
    this.#index = new Uint32Array(2 * length);
    for (let at = 0; at < this.#length; at++) this.#index[this.#slotOf(this.#ids[at] ?? 0n)] = at + 1;
  }
}

/** 2^64 divided by the golden ratio: the highest bits of the product spread ids that follow each other (Knuth, TAOCP 6.4). */
const SPREADING = 0x9e3779b97f4a7c15n;

/** 0 stands for no text. */
function hash(text: string | null): number {
  return text === null ? 0 : Bun.hash.cityHash32(text) || 1;
}

function tooManyIds(max: number): Failure {
  const most = `${max.toLocaleString("en")} different ids`;
  return new Failure("account-limit", `A dry run takes up to ${most}, and this one has more: send it in parts`);
}
