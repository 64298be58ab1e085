import { Failure } from "#core/failure.ts";
import { INT64_MAX, INT64_MIN, int64FromCanonicalDecimal, int64FromDigits } from "#core/int64.ts";
import type { PlantMember } from "#core/plant-members.ts";
import { isStorableText } from "#core/text.ts";
import { digitsOfMember } from "../exact-json.ts";
import { describe, shortened } from "../found-value.ts";

/** The members of an answer that a client cannot change. */
export const KEPT_MEMBERS = ["id", "plant_id", "created_at", "updated_at"] as const;

/**
 * A safe integer from a plain parse is exact, unless the text contains a fraction or an exponent that may have been
 * rounded.
 */
const MAY_HAVE_ROUNDED = /\d[.eE]/;

/** The act that a body asks for, in words that follow "Cannot". */
export type Intent =
  | "create the plant"
  | "change the plant"
  | "update the plant"
  | "replace the plant"
  | "remove the plant";

/** The exact value of the member `id`, which a plain parse of `json` may have rounded. Throws "member-invalid". */
export function readId(parsed: unknown, json: string, intent?: Intent): bigint {
  return exactId(parsed, json) ?? refuseId(typeof parsed === "number" ? digitsOfId(json) : describe(parsed), intent);
}

/** Reads an id as `readId` does, but returns undefined for a value that is not an int64. */
function exactId(parsed: unknown, json: string): bigint | undefined {
  if (typeof parsed !== "number") return undefined;
  if (Number.isSafeInteger(parsed) && !MAY_HAVE_ROUNDED.test(json)) return BigInt(parsed);
  return int64FromDigits(digitsOfId(json));
}

/** Reads an id from its digits, in any spelling of an integer that JSON allows. Throws "member-invalid". */
export function readIdDigits(digits: string, intent?: Intent): bigint {
  return int64FromCanonicalDecimal(digits) ?? int64FromDigits(digits) ?? refuseId(digits, intent);
}

/**
 * The member `plant_id`, the id as text, for programs whose numbers round. Throws "member-invalid" for another than the id
 * that is expected, if one is.
 */
export function readPlantIdText(value: unknown, intent: Intent, expected?: bigint): bigint {
  const id = typeof value === "string" ? int64FromCanonicalDecimal(value) : undefined;
  if (id !== undefined && (expected === undefined || id === expected)) return id;
  const right = expected === undefined ? "an id as a string of digits" : `the id as a string, "${expected}"`;
  const found = typeof value === "string" ? shortened(value) : describe(value);
  throw new Failure("member-invalid", `Cannot ${intent}: "plant_id" must be ${right}, and is ${found}`);
}

/**
 * Requires that an id in the body is that of the address. Since `id` may have been rounded, only `plant_id` is compared where both
 * are given. Throws "member-invalid".
 */
export function requireOwnId(
  { id, plant_id }: Readonly<Record<string, unknown>>,
  json: string,
  intent: Intent,
  own: bigint,
): void {
  if (plant_id !== undefined) readPlantIdText(plant_id, intent, own);
  else if (id !== undefined && exactId(id, json) !== own) {
    throw new Failure("member-invalid", `Cannot ${intent}: "id" must be left out, or be that of the address, ${own}`);
  }
}

/** Reads a text. Throws "member-invalid", as the two below do. */
export function readText(member: PlantMember, value: unknown): string {
  return typeof value === "string" && isStorableText(value) ? value : refuseText(member, value);
}

/** Reads a text that may be left out. */
export function readOptional(member: PlantMember, value: unknown): string | undefined {
  return value === undefined ? undefined : readText(member, value);
}

/** Reads a text that may be left out, or taken away by null. */
export function readNullable(member: PlantMember, value: unknown): string | null | undefined {
  return value === null ? null : readOptional(member, value);
}

function digitsOfId(json: string): string {
  return digitsOfMember(json, "id") ?? "";
}

function refuseId(found: string, intent: Intent = "create the plant"): never {
  const shown = found === "" ? "empty" : shortened(found);
  throw new Failure(
    "member-invalid",
    `Cannot ${intent}: "id" must be an integer from ${INT64_MIN} to ${INT64_MAX}, and is ${shown}`,
  );
}

function refuseText(member: string, value: unknown): never {
  const found = typeof value === "string" ? unstorable(value) : describe(value);
  throw new Failure(
    "member-invalid",
    `Cannot keep the plant: "${member}" must be a string of Unicode characters other than U+0000, and is ${found}`,
  );
}

function unstorable(text: string): string {
  const at = text.search(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  const unit = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return `a string with ${unit === "0000" ? "U+0000" : `the lone surrogate U+${unit}`} at position ${at + 1}`;
}
