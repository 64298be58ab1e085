import { InvalidArgumentError, Option } from "commander";
import type { EventType, PlantEvent } from "#client/event.ts";
import { EVENT_TYPES } from "#core/event.ts";
import { type Column, printTable } from "./output.ts";

export function typeOption(description = "only events of these types"): Option {
  return new Option("--type <type...>", description).choices(EVENT_TYPES);
}

/** One type of event as an argument. */
export function eventType(text: string): EventType {
  const type = EVENT_TYPES.find((each) => each === text);
  if (type) return type;
  throw new InvalidArgumentError(`It must be one of ${EVENT_TYPES.join(", ")}.`);
}

export const EVENT_COLUMNS: readonly Column<PlantEvent>[] = [
  { title: "TIME", value: ({ timestamp }) => timestamp.toISOString() },
  { title: "TYPE", value: ({ type, test }) => (test ? `${type} (test)` : type) },
  { title: "PLANT", value: ({ plantId }) => String(plantId) },
  { title: "NAME", value: ({ plant }) => plant?.name ?? "" },
  { title: "EVENT", value: ({ id }) => id },
];

export function printEvent(event: PlantEvent): void {
  printTable([event], EVENT_COLUMNS);
}
