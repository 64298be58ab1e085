import { Failure } from "#core/failure.ts";
import { describe } from "./found-value.ts";
import { malformedJson } from "./malformed-json.ts";

/**
 * Reads a JSON object. `intent` completes "Cannot …" in the message of a refusal, which names a line of the file that the
 * text is from.
 */
export function readObject(text: string, intent: string, firstLine?: number): Record<string, unknown> {
  const value = readJson(text, intent, firstLine);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure(
      "body-not-a-plant",
      `Cannot ${intent}: the body must be a JSON object, and is ${describe(value)}`,
    );
  }
  return value as Record<string, unknown>;
}

/** Reads JSON of any kind. Throws "body-not-json". */
export function readJson(text: string, intent: string, firstLine?: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformedJson(text, intent, firstLine);
  }
}
