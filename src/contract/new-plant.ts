import { Failure } from "#core/failure.ts";
import { INT64_MAX, INT64_MIN, int64FromDigits } from "#core/int64.ts";
import type { NewPlant } from "#core/plant.ts";
import { isStorableText } from "#core/text.ts";
import { parseWithNumbersAsDigits } from "./exact-json.ts";
import { malformedJson } from "./malformed-json.ts";

/** Reads the body of a create. Throws "body-not-json", "body-not-a-plant" or "member-invalid". */
export function readNewPlant(text: string): NewPlant {
  const body = readObject(text, "create the plant");
  if (body.id === undefined) throw missing("id");
  if (body.name === undefined) throw missing("name");
  const { name, tag } = body;
  return {
    id: typeof body.id === "number" ? readId(body.id, text) : refuseId(describe(body.id)),
    name: isText(name) ? name : refuseText("name", name),
    tag: tag === undefined || isText(tag) ? tag : refuseText("tag", tag),
  };
}

/** Reads a JSON object. `intent` completes "Cannot …" in what is thrown. */
export function readObject(text: string, intent: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformedJson(text, intent);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(
      "body-not-a-plant",
      `Cannot ${intent}: the body must be a JSON object, and is ${describe(value)}`,
    );
  }
  return value as Record<string, unknown>;
}

/** A safe integer that a plain parse gave is exact unless the text held a fraction or an exponent to be rounded. */
const MAY_HAVE_ROUNDED = /\d[.eE]/;

function readId(parsed: number, text: string): bigint {
  if (Number.isSafeInteger(parsed) && !MAY_HAVE_ROUNDED.test(text)) return BigInt(parsed);
  const { id: digits } = parseWithNumbersAsDigits(text) as { id: string };
  return int64FromDigits(digits) ?? refuseId(shortened(digits));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && isStorableText(value);
}

function missing(member: string): Failure {
  return new Failure("body-not-a-plant", `Cannot create the plant: the required member "${member}" is missing`);
}

function refuseId(found: string): never {
  throw new Failure(
    "member-invalid",
    `Cannot create the plant: "id" must be an integer from ${INT64_MIN} to ${INT64_MAX}, and is ${found}`,
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

const FOUND_LENGTH_MAX = 40;

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return shortened(JSON.stringify(value));
}

function shortened(found: string): string {
  const printable = found.toWellFormed();
  return printable.length > FOUND_LENGTH_MAX ? `${printable.slice(0, FOUND_LENGTH_MAX).toWellFormed()}…` : printable;
}
