import { EVENT_TYPES, type EventRequest, type EventType } from "#core/event.ts";
import { readEventCursor } from "../event-cursor.ts";
import { type CountRange, PAGE_LIMIT } from "../limits.ts";
import { onceEach, readCount, readOneOf, readRepeated } from "../parameters.ts";

/** In seconds. */
export const EVENT_WAIT: CountRange = { min: 0, max: 30, fallback: 0 };

const ONCE = ["cursor", "limit", "wait"] as const;

/** Reads the raw query of the feed. Throws "address-malformed". */
export function readEventQuery(query: string): EventRequest {
  const given = readRepeated(query, [...ONCE, "type"]);
  const { cursor, limit, wait } = onceEach(given, ONCE);
  return {
    cursor: cursor === undefined ? undefined : readEventCursor(cursor),
    limit: readCount("limit", limit, PAGE_LIMIT),
    types: readTypes(given.get("type") ?? []),
    waitSeconds: readCount("wait", wait, EVENT_WAIT),
  };
}

function readTypes(names: readonly string[]): ReadonlySet<EventType> | undefined {
  return names.length === 0 ? undefined : new Set(names.map((name) => readOneOf("type", name, EVENT_TYPES)));
}
