import { InvalidArgumentError, Option } from "commander";
import type { EventType, PlantEvent, StreamedEvent } from "#client/event.ts";
import { EVENT_TYPES } from "#core/event.ts";
import { type Column, printTable } from "./output.ts";

export function typeOption(description = "only events of these types"): Option {
  return new Option("--type <type...>", description).choices(EVENT_TYPES);
}

/** Parses a type of event that was given as an argument. */
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

/** The position of a reader in the feed, for the line that says where to continue. */
export class FeedPosition {
  #cursor = "";
  #id: string | undefined;
  #isAtStart = true;

  /** True until an event was dealt with. */
  get isAtStart(): boolean {
    return this.#isAtStart;
  }

  /** Records an event that was handled. A test event has no position in the feed. */
  reached({ id, cursor }: Pick<StreamedEvent, "id" | "cursor">): void {
    this.#isAtStart = false;
    if (cursor === "") return;
    this.#id = id;
    this.#cursor = cursor;
  }

  text(done: string): string {
    if (this.#id === undefined) return `No event was ${done}`;
    return `Everything up to ${this.#id} was ${done}; go on with --cursor ${this.#cursor}`;
  }
}

/** Prints one event of several that come one by one: the titles stand above the first alone. */
export function printEvent(event: PlantEvent, isFirst: boolean): void {
  printTable([event], EVENT_COLUMNS, isFirst);
}
