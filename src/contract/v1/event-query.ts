import { EVENT_TYPES, type EventRequest, type EventType } from "#core/event.ts";
import { readEventCursor } from "../event-cursor.ts";
import { type CountRange, PAGE_LIMIT } from "../limits.ts";
import { readCount, readOneOf, readParameters } from "../parameters.ts";

/** In seconds. */
export const EVENT_WAIT: CountRange = { min: 0, max: 30, fallback: 0 };

/** Reads the raw query of the feed. Throws "address-malformed". */
export function readEventQuery(query: string): EventRequest {
  const { cursor, limit, wait } = readParameters(query, ["cursor", "limit", "wait"]);
  return {
    cursor: cursor === undefined ? undefined : readEventCursor(cursor),
    limit: readCount("limit", limit, PAGE_LIMIT),
    types: readTypes(new URLSearchParams(query).getAll("type")),
    waitSeconds: readCount("wait", wait, EVENT_WAIT),
  };
}

function readTypes(names: readonly string[]): ReadonlySet<EventType> | undefined {
  return names.length === 0 ? undefined : new Set(names.map((name) => readOneOf("type", name, EVENT_TYPES)));
}
