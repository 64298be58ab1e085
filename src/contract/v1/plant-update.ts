import { Failure } from "#core/failure.ts";
import type { NewPlant, PlantUpdate } from "#core/plant.ts";
import { MEMBER_NAMES, withOptional } from "#core/plant-members.ts";
import { readObject, requireKnownMembers } from "../json-object.ts";
import { KEPT_MEMBERS, readId, readNullable, readOptional, readText, requireOwnId } from "./plant-members.ts";

/**
 * Reads a record of an import that updates: an omitted member stays as it is, and `"tag": null` removes the tag. Throws
 * "body-not-json", "body-not-a-plant" or "member-invalid".
 */
export function readPlantUpdate(text: string, firstLine?: number): PlantUpdate {
  const members = readObject(text, "update the plant", firstLine);
  const { id, name } = members;
  if (id === undefined) throw missing("update the plant", "id");
  const update = { id: readId(id, text, "update the plant"), name: readOptional("name", name) };
  return withOptional(update, (member) => readNullable(member, members[member]));
}

/**
 * Reads the body of a PUT to the address of that id. The times are ignored, and so is an `id` beside `plant_id`, since it
 * may have been rounded. Throws as `readPlantUpdate` does.
 */
export function readPlantPut(text: string, plantId: bigint): NewPlant {
  const given = readObject(text, "replace the plant");
  const { name } = given;
  requireKnownMembers(given, "replace the plant", MEMBER_NAMES, KEPT_MEMBERS);
  requireOwnId(given, text, "replace the plant", plantId);
  if (name === undefined) throw missing("replace the plant", "name");
  return withOptional({ id: plantId, name: readText("name", name) }, (member) => readOptional(member, given[member]));
}

function missing(intent: string, member: string): Failure {
  return new Failure("body-not-a-plant", `Cannot ${intent}: the required member "${member}" is missing`);
}
