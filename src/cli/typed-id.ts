import { PLANT_ID_RANGE, parsePlantId } from "#contract/plant-id.ts";
import { UsageError } from "./report.ts";

/** The id given as an argument or as `--id`, which also takes `--id=-5`. */
export function typedId(argument: string | undefined, option: string | undefined): bigint {
  if (argument !== undefined && option !== undefined) throw new UsageError("Give the id once");
  const text = argument ?? option;
  if (text === undefined) throw new UsageError("Give an id, as in 42, or --id=-5");
  return readId(text);
}

export function readId(text: string): bigint {
  const id = parsePlantId(text);
  if (id !== undefined) return id;
  throw new UsageError(`The id must be ${PLANT_ID_RANGE}, and is ${JSON.stringify(text)}`);
}
