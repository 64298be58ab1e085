import { Failure } from "./failure.ts";
import { decomposed } from "./fold.ts";
import {
  ANY_MEMBER,
  MEMBER_NAMES,
  type OptionalMember,
  type PlantMember,
  type PlantTexts,
  withOptional,
} from "./plant-members.ts";

/** The number of an account, under which its plants are stored: small, never reused, the leading part of every key. */
export type AccountNumber = number;

/** A plant as a client sends it to be created. `id` is any int64, unique within the account. */
export interface NewPlant extends PlantTexts {
  readonly id: bigint;
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

/** The members of a plant that a list shows; the id as text has the same digits. */
export interface ListedPlant extends Pick<Plant, "createdAt" | "updatedAt">, OptionalTexts {
  readonly id: bigint | string;
  readonly name: string;
}

/** A plant with so much text that only a reading thread reads it. */
export interface LongPlant extends Omit<Plant, PlantMember> {
  readonly name: undefined;
}

export function plantUnknown(id: bigint): Failure {
  return new Failure("plant-unknown", `There is no plant with the id ${id}`);
}

export function idTaken(id: bigint, outcome: CreateOutcome = "taken"): Failure {
  const other =
    outcome === "taken"
      ? `another ${ANY_MEMBER}`
      : `a ${ANY_MEMBER} that looks the same but has other characters, such as another dash, blank or accent`;
  return new Failure("id-taken", `The id ${id} is taken by a plant with ${other}, which is unchanged`);
}

type OptionalTexts = { readonly [Member in OptionalMember]?: string | null | undefined };

/** A merge patch (RFC 7396) of a plant: a member left out stays, `tag: null` removes the tag. */
export interface PlantPatch extends OptionalTexts {
  readonly name?: string | undefined;
}

/**
 * A record of an import that updates. Undefined leaves a text as it is, and null removes an optional one. A name is null in a
 * row that ends before its column: it leaves the name as it is, or makes that of a new plant empty.
 */
export interface PlantUpdate extends OptionalTexts {
  readonly id: bigint;
  readonly name: string | null | undefined;
}

/** The plant that an update creates; undefined if it has no name for one. */
export function newPlantOf(update: PlantUpdate): NewPlant | undefined {
  const { id, name } = update;
  if (name === undefined) return undefined;
  return withOptional({ id, name: name ?? "" }, (member) => update[member] ?? undefined);
}

/** The patch that an update applies to an existing plant. */
export function patchOf(update: Omit<PlantUpdate, "id">): PlantPatch {
  return withOptional({ name: update.name ?? undefined }, (member) => update[member]);
}

/** The patch after which a plant has exactly these texts. */
export function patchTo(texts: PlantTexts): PlantPatch {
  return withOptional({ name: texts.name }, (member) => texts[member] ?? null);
}

/** `nameless`: there is no plant to update, and no name for a new one. */
export type UpdateOutcome = "created" | "updated" | "unchanged" | "nameless";

/** A plant to remove; with `etag`, only if it still has that version. */
export interface PlantRemoval {
  readonly id: bigint;
  readonly etag: string | undefined;
}

/** `changed`: the plant has another version than the one to remove. */
export type RemovalOutcome = "removed" | "missing" | "changed";

/** The plant as a PUT leaves it. */
export interface PutPlant {
  readonly plant: Plant;
  readonly outcome: "created" | "replaced" | "unchanged";
}

/**
 * `unchanged`: the same plant was already there. `taken`: another plant has the id, and nothing was written; `taken-alike`:
 * their texts differ in form alone.
 */
export type CreateOutcome = "created" | "unchanged" | "taken" | "taken-alike";

/** True if the removal applies to this version of the plant. */
export function isToRemove({ etag }: PlantRemoval, plant: PlantRevision): boolean {
  return etag === undefined || etag === entityTag(plant);
}

export function samePlant(a: PlantTexts, b: PlantTexts): boolean {
  for (const member of MEMBER_NAMES) if (a[member] !== b[member]) return false;
  return true;
}

/** Longer texts are not compared in form, since other creates wait meanwhile. */
const COMPARED_LENGTH_MAX = 1000;

/** Returns the outcome of a create whose id is taken. */
export function outcomeBeside(kept: PlantTexts, given: PlantTexts): CreateOutcome {
  if (samePlant(kept, given)) return "unchanged";
  return MEMBER_NAMES.every((member) => looksAlike(kept[member], given[member])) ? "taken-alike" : "taken";
}

function looksAlike(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || Math.max(a.length, b.length) > COMPARED_LENGTH_MAX) return false;
  return decomposed(a) === decomposed(b);
}

/**
 * The plant after the patch; the same object if nothing changes. Its time of change never goes back, even if the clock
 * does.
 */
export function patched(plant: Plant, patch: PlantPatch, now: number): Plant {
  const name = patch.name ?? plant.name;
  const changed = { ...plant, name, revision: plant.revision + 1, updatedAt: Math.max(now, plant.updatedAt) };
  const after = withOptional(changed, (member) =>
    patch[member] === undefined ? plant[member] : (patch[member] ?? undefined),
  );
  return samePlant(plant, after) ? plant : after;
}

/** The time of a plant's removal, which is never before its last change, even if the clock goes back. */
export function removedAt(plant: Pick<Plant, "updatedAt">, now: number): number {
  return Math.max(now, plant.updatedAt);
}

/** The length of a plant's texts in UTF-16 units, which limits everything that holds plants in memory. */
export function textUnits(texts: { readonly [Member in PlantMember]?: string | null | undefined }): number {
  let units = 0;
  for (const member of MEMBER_NAMES) units += texts[member]?.length ?? 0;
  return units;
}

export type PlantRevision = Pick<Plant, "number" | "revision">;

/** A strong validator (RFC 9110, 8.8.3), which differs after every change, and after a removal and a new create. */
export function entityTag(plant: PlantRevision): string {
  return `"${plant.number.toString(36)}.${plant.revision.toString(36)}"`;
}
