import { Failure } from "#core/failure.ts";
import type { PlantPatch } from "#core/plant.ts";
import { readObject } from "../json-object.ts";
import { exactId, readText } from "./plant-members.ts";

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
