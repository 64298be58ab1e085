import { Failure } from "#core/failure.ts";
import type { NewPlant } from "#core/plant.ts";
import { malformedJson } from "./malformed-json.ts";
import { describe, readId, readText } from "./plant-members.ts";

/** Reads the body of a create. Throws "body-not-json", "body-not-a-plant" or "member-invalid". */
export function readNewPlant(text: string): NewPlant {
  const { id, name, tag } = readObject(text, "create the plant");
  if (id === undefined) throw missing("id");
  if (name === undefined) throw missing("name");
  return {
    id: readId(id, text),
    name: readText("name", name),
    tag: tag === undefined ? undefined : readText("tag", tag),
  };
}

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

function missing(member: string): Failure {
  return new Failure("body-not-a-plant", `Cannot create the plant: the required member "${member}" is missing`);
}
