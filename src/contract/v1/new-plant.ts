import { Failure } from "#core/failure.ts";
import type { NewPlant, PlantPatch } from "#core/plant.ts";
import { MEMBER_NAMES, withOptional } from "#core/plant-members.ts";
import { readObject, requireKnownMembers } from "../json-object.ts";
import { KEPT_MEMBERS, readId, readNullable, readOptional, readText, requireOwnId } from "./plant-members.ts";

/**
 * Reads the body of a create, or a record that begins on that line of a file. Throws "body-not-json", "body-not-a-plant"
 * or "member-invalid".
 */
export function readNewPlant(text: string, firstLine?: number): NewPlant {
  return newPlantOf(readObject(text, "create the plant", firstLine), text);
}

/** Reads a body as `readNewPlant` does, but also throws "member-invalid" for unknown members. */
export function readStrictNewPlant(text: string): NewPlant {
  const members = readObject(text, "create the plant");
  requireKnownMembers(members, "create the plant", ["id", ...MEMBER_NAMES], KEPT_MEMBERS);
  return newPlantOf(members, text);
}

function newPlantOf(members: Record<string, unknown>, text: string): NewPlant {
  const { id, name } = members;
  if (id === undefined) throw missing("id");
  if (name === undefined) throw missing("name");
  return withOptional({ id: readId(id, text), name: readText("name", name) }, (member) =>
    readOptional(member, members[member]),
  );
}

function missing(member: string): Failure {
  return new Failure("body-not-a-plant", `Cannot create the plant: the required member "${member}" is missing`);
}

/**
 * Reads a merge patch (RFC 7396) of the plant with that id. Throws "body-not-json", "body-not-a-plant" or
 * "member-invalid". A patch that is not an object would replace the plant by something else.
 */
export function readPlantPatch(text: string, plantId: bigint): PlantPatch {
  const members = readObject(text, "change the plant");
  requireKnownMembers(members, "change the plant", MEMBER_NAMES, KEPT_MEMBERS);
  requireOwnId(members, text, "change the plant", plantId);
  return withOptional({ name: readOptional("name", members.name) }, (member) => readNullable(member, members[member]));
}
