import { Failure } from "#core/failure.ts";
import { describe } from "./found-value.ts";
import { malformedJson } from "./malformed-json.ts";

/** Reads a JSON object. `intent` completes "Cannot …" in the message of a refusal. */
export function readObject(text: string, intent: string): Record<string, unknown> {
  const value = readJson(text, intent);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(
      "body-not-a-plant",
      `Cannot ${intent}: the body must be a JSON object, and is ${describe(value)}`,
    );
  }
  return value as Record<string, unknown>;
}

/** Reads JSON of any kind. Throws "body-not-json". */
export function readJson(text: string, intent: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson(text, intent);
  }
}
