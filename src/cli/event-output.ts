import { InvalidArgumentError, Option } from "commander";
import type { EventType, PlantEvent, StreamedEvent } from "#client/event.ts";
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

/** How far a reader of the feed has come, for the line that tells where to go on. */
export class FeedPlace {
  #cursor = "";
  #id: string | undefined;

  /** Takes note of an event that was dealt with. A test event has no place in the feed. */
  reached({ id, cursor }: Pick<StreamedEvent, "id" | "cursor">): void {
    if (cursor === "") return;
    this.#id = id;
    this.#cursor = cursor;
  }

  text(done: string): string {
    if (this.#id === undefined) return `No event was ${done}`;
    return `Everything up to ${this.#id} was ${done}; go on with --cursor ${this.#cursor}`;
  }
}

export function printEvent(event: PlantEvent): void {
  printTable([event], EVENT_COLUMNS);
}
