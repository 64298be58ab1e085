import { Failure } from "#core/failure.ts";
import type { PlantRemoval } from "#core/plant.ts";
import { MEMBER_NAMES } from "#core/plant-members.ts";
import { describe } from "../found-value.ts";
import { readJson, requireKnownMembers } from "../json-object.ts";
import { KEPT_MEMBERS, readId, readIdDigits, readPlantIdText } from "./plant-members.ts";

const INTENT = "remove the plant";

/**
 * Reads a record of a bulk removal: an id, a string of its digits, or an object with `plant_id` or `id`, and perhaps the
 * `etag` of the only version that is to be removed. A plant's other members are ignored, so that a line of an export will do;
 * an unknown one may be a misspelt condition. Throws "body-not-json", "body-not-a-plant" or "member-invalid".
 */
export function readPlantRemoval(text: string, firstLine?: number): PlantRemoval {
  const given = readJson(text, INTENT, firstLine);
  if (typeof given === "number") return { id: readIdDigits(text.trim(), INTENT), etag: undefined };
  if (typeof given === "string") return { id: readIdText(given), etag: undefined };
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw noRecord(describe(given));
  const members = given as Record<string, unknown>;
  const { id, plant_id, etag } = members;
  if (etag !== undefined && typeof etag !== "string")
    throw invalid(`"etag" must be a string, and is ${describe(etag)}`);
  if (plant_id === undefined && id === undefined) throw noRecord('an object without "plant_id" and "id"');
  requireKnownMembers(members, INTENT, ["id", "plant_id", "etag"], [...KEPT_MEMBERS, ...MEMBER_NAMES]);
  const exact = id === undefined ? undefined : readId(id, text, INTENT);
  return { id: plant_id === undefined ? (exact as bigint) : readPlantIdText(plant_id, INTENT, exact), etag };
}

function readIdText(digits: string): bigint {
  return readPlantIdText(digits, INTENT);
}

function noRecord(found: string): Failure {
  const right = 'an id, a string of its digits, or an object with "plant_id" or "id"';
  return new Failure("body-not-a-plant", `Cannot ${INTENT}: the record must be ${right}, and is ${found}`);
}

function invalid(problem: string): Failure {
  return new Failure("member-invalid", `Cannot ${INTENT}: ${problem}`);
}
