import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { MEMBER_NAMES, textsOf } from "#contract/plant-members.ts";

/** An id as callers give it: a bigint, or a number that holds it exactly (-(2^53 - 1) to 2^53 - 1). */
export type Id = bigint | number;

/** The texts of a plant: any strings, empty ones included, stored code point by code point. */
export interface PlantTexts {
  readonly name: string;
  /** The kind of plant; omitted if it has no tag. */
  readonly tag?: string;
}

/** A plant to create. */
export interface NewPlant extends PlantTexts {
  /** Any int64. */
  readonly id: Id;
}

/** A plant of which an import that updates sets what is there, and creates what is not. */
export interface PlantUpdate extends PlantChange {
  readonly id: Id;
}

/** The answer to a put. */
export interface PutPlant {
  /** The plant as it is now; undefined if the token may not read. */
  readonly plant: StoredPlant | undefined;
  /** The plant's version, for `ifMatch`. */
  readonly etag: string;
  /** True if there was no plant with the id. */
  readonly created: boolean;
  /** True if the same plant already existed and nothing was written. */
  readonly replayed: boolean;
}

/** The answer to a create: the plant as the interface shapes it, without its id. */
export interface CreatedPlant extends PlantTexts {
  /** True if the same plant already existed and nothing was written. */
  readonly replayed: boolean;
}

/** A plant as stored. As JSON its id is text, since a bigint has no other form there. */
export interface StoredPlant extends PlantTexts {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The plant's version, for `ifMatch`. `get` and `change` return it; lists and exports do not. */
  readonly etag?: string;
}

/** A change (RFC 7396). Members that are left out stay as they are; `tag: null` removes the tag. */
export interface PlantChange extends Nullable<Omit<PlantTexts, "name">> {
  readonly name?: string;
}

type Nullable<Texts> = { readonly [Member in keyof Texts]?: Texts[Member] | null };

/** The id with all its digits. Throws a RangeError for a number that may already have been rounded. */
export function exactId(id: Id): bigint {
  if (typeof id === "bigint" || Number.isSafeInteger(id)) return BigInt(id);
  throw new RangeError(`An id must be a bigint or a safe integer, and is ${id}; write it as a bigint, as in 42n`);
}

/** A plant as JSON on one line, with all digits of its id. */
export function newPlantJson(plant: NewPlant | PlantUpdate): string {
  const texts = textsJson(plant);
  return texts === "{}" ? `{"id":${exactId(plant.id)}}` : `{"id":${exactId(plant.id)},${texts.slice(1)}`;
}

/** The texts alone, as the body of a change or a put. */
export function textsJson(texts: PlantChange): string {
  return JSON.stringify(texts, [...MEMBER_NAMES]);
}

/** Reads the answer to a create. Throws a SyntaxError or TypeError if the text is not one. */
export function readCreatedPlant(json: string, headers: Headers): CreatedPlant {
  const members: PlantTexts = JSON.parse(json);
  if (typeof members.name !== "string") throw new TypeError("The answer holds no plant");
  return { ...textsOf(members), replayed: headers.get("idempotent-replayed") === "true" };
}

/** Reads the answer to a put. Throws a SyntaxError or TypeError if there is none. */
export function readPutPlant(json: string, headers: Headers, status: number): PutPlant {
  const etag = headers.get("etag");
  if (etag === null) throw new TypeError("The answer has no version of a plant");
  const plant = json === "" ? undefined : readStoredPlant(json, headers);
  return { plant, etag, created: status === 201, replayed: headers.get("idempotent-replayed") === "true" };
}

/** Reads a plant of `GET /v1/plants/{id}`. Throws a SyntaxError or TypeError if the text is not one. */
export function readStoredPlant(json: string, headers?: Headers): StoredPlant {
  const plant = storedPlant(parseWithNumbersAsDigits(json));
  const etag = headers?.get("etag");
  return etag ? withJson({ ...plant, etag }) : plant;
}

/** A plant from its members, in which the id is a string of digits. */
export function storedPlant(members: unknown): StoredPlant {
  const { id, created_at, updated_at, ...texts } = members as Record<string, string | undefined> & PlantTexts;
  if (id === undefined || texts.name === undefined || created_at === undefined || updated_at === undefined) {
    throw new TypeError("The answer holds no plant");
  }
  const times = { createdAt: timeFrom(created_at), updatedAt: timeFrom(updated_at) };
  return withJson({ id: BigInt(id), ...textsOf(texts), ...times });
}

/** The record, which `JSON.stringify` writes with its bigints as text. */
export function withJson<T extends object>(record: T): T {
  return Object.defineProperty(record, "toJSON", { value: jsonMembers });
}

function jsonMembers(this: object): object {
  const members = Object.entries(this).map(([name, value]) => [
    name,
    typeof value === "bigint" ? String(value) : value,
  ]);
  return Object.fromEntries(members);
}

/** Throws a TypeError if the text is not a time. */
export function timeFrom(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new TypeError("The answer holds something else where a time must be");
  return time;
}
