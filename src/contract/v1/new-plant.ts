import { Failure } from "#core/failure.ts";
import type { NewPlant, PlantPatch } from "#core/plant.ts";
import { readObject } from "../json-object.ts";
import { exactId, readId, readText } from "./plant-members.ts";

/**
 * Reads the body of a create, or a record that begins on that line of a file. Throws "body-not-json", "body-not-a-plant"
 * or "member-invalid".
 */
export function readNewPlant(text: string, firstLine?: number): NewPlant {
  const { id, name, tag } = readObject(text, "create the plant", firstLine);
  if (id === undefined) throw missing("id");
  if (name === undefined) throw missing("name");
  return {
    id: readId(id, text),
    name: readText("name", name),
    tag: tag === undefined ? undefined : readText("tag", tag),
  };
}

function missing(member: string): Failure {
  return new Failure("body-not-a-plant", `Cannot create the plant: the required member "${member}" is missing`);
}

/**
 * Reads a merge patch (RFC 7396) of the plant with that id. Throws "body-not-json", "body-not-a-plant" or
 * "member-invalid". A patch that is not an object would replace the plant by something else.
 */
export function readPlantPatch(text: string, plantId: bigint): PlantPatch {
  const { id, name, tag } = readObject(text, "change the plant");
  if (id !== undefined && exactId(id, text) !== plantId) {
    throw new Failure("member-invalid", `Cannot change the plant: "id" must be left out, or be its own, ${plantId}`);
  }
  return {
    ...(name === undefined ? undefined : { name: readText("name", name) }),
    ...(tag === undefined ? undefined : { tag: tag === null ? null : readText("tag", tag) }),
  };
}
