import { Failure } from "#core/failure.ts";
import { describe } from "./found-value.ts";
import { malformedJson } from "./malformed-json.ts";

/** Reads a JSON object. `intent` completes "Cannot …" in the message of a refusal. */
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
