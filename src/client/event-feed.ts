import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { type EventType, isKnownEvent, type PlantEvent, plantEvent } from "./event.ts";

/** The start of a query in the feed of events, and its filter. */
export interface EventQuery {
  /** A cursor, or "latest" for events from now on. By default the feed is read from the oldest stored event. */
  readonly cursor?: string;
  /** Only events of these types. */
  readonly types?: readonly EventType[];
}

export interface EventPageQuery extends EventQuery {
  /** The number of events on a page: 1 to 1000, 100 by default. */
  readonly limit?: number;
  /** The seconds for which an empty answer waits for an event: 0 (the default) to 30. */
  readonly wait?: number;
}

export interface EventPage {
  readonly events: readonly PlantEvent[];
  /** The cursor to continue from: store it, and use it in the next request. */
  readonly nextCursor: string;
  /** True if more events can be read at once. */
  readonly hasMore: boolean;
}

/** The path and query of the feed. */
export function eventsPath({ cursor, types = [], limit, wait }: EventPageQuery): string {
  const search = new URLSearchParams(types.map((type) => ["type", type]));
  for (const [name, value] of Object.entries({ cursor, limit, wait })) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? "/events" : `/events?${search}`;
}

/** Reads a page of the feed. Throws a SyntaxError or TypeError if the text is not one. */
export function readEventPage(json: string): EventPage {
  const {
    data,
    next_cursor: nextCursor,
    has_more: hasMore,
  } = parseWithNumbersAsDigits(json) as Record<string, unknown>;
  if (!Array.isArray(data) || typeof nextCursor !== "string" || typeof hasMore !== "boolean") {
    throw new TypeError("The answer holds no page of events");
  }
  return { events: data.filter(isKnownEvent).map(plantEvent), nextCursor, hasMore };
}
