import { Failure } from "./failure.ts";

/** The number of an account, under which its plants are stored: small, never reused, the leading part of every key. */
export type AccountNumber = number;

/** A plant as a client sends it to be created. `id` is any int64, unique within the account. */
export interface NewPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | undefined;
}

/** A stored plant. Times are milliseconds since 1970-01-01T00:00:00Z. */
export interface Plant extends NewPlant {
  /** The insertion number. It grows with every create in the store, is never reused, and orders "newest first". */
  readonly number: bigint;
  /** 1 when created, one more with every change. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A plant with so much text that only a reading thread reads it. */
export interface LongPlant extends Omit<Plant, "name" | "tag"> {
  readonly name: undefined;
}

export function plantUnknown(id: bigint): Failure {
  return new Failure("plant-unknown", `There is no plant with the id ${id}`);
}

export function idTaken(id: bigint): Failure {
  return new Failure("id-taken", `The id ${id} is taken by a plant with another name or tag, which is unchanged`);
}

/** A merge patch (RFC 7396) of a plant: a member left out stays, `tag: null` removes the tag. */
export interface PlantPatch {
  readonly name?: string;
  readonly tag?: string | null;
}

/** `unchanged`: the same plant was already there. `taken`: another plant has the id, and nothing was written. */
export type CreateOutcome = "created" | "unchanged" | "taken";

export function samePlant(a: Pick<NewPlant, "name" | "tag">, b: Pick<NewPlant, "name" | "tag">): boolean {
  return a.name === b.name && a.tag === b.tag;
}

/**
 * The plant after the patch; the same object if nothing changes. Its time of change never goes back, even if the clock
 * does.
 */
export function patched(plant: Plant, patch: PlantPatch, now: number): Plant {
  const name = patch.name ?? plant.name;
  const tag = patch.tag === undefined ? plant.tag : (patch.tag ?? undefined);
  if (samePlant(plant, { name, tag })) return plant;
  return { ...plant, name, tag, revision: plant.revision + 1, updatedAt: Math.max(now, plant.updatedAt) };
}

/** The time of a plant's removal, which is never before its last change, even if the clock goes back. */
export function removedAt(plant: Pick<Plant, "updatedAt">, now: number): number {
  return Math.max(now, plant.updatedAt);
}

/** The length of a plant's texts in UTF-16 units, which limits everything that holds plants in memory. */
export function textUnits({ name, tag }: { readonly name: string; readonly tag?: string | null | undefined }): number {
  return name.length + (tag?.length ?? 0);
}

export type PlantRevision = Pick<Plant, "number" | "revision">;

/** A strong validator (RFC 9110, 8.8.3), which differs after every change, and after a removal and a new create. */
export function entityTag(plant: PlantRevision): string {
  return `"${plant.number.toString(36)}.${plant.revision.toString(36)}"`;
}
