import { EVENT_TYPES, type EventRequest, type EventType } from "#core/event.ts";
import { readEventCursor } from "../event-cursor.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";
import { malformed, readCount, readParameters } from "../parameters.ts";

export const EVENT_WAIT_SECONDS_MAX = 30;

/** Reads the raw query of the feed. Throws "address-malformed". */
export function readEventQuery(query: string): EventRequest {
  const { cursor, limit, wait } = readParameters(query, ["cursor", "limit", "wait"]);
  return {
    cursor: cursor === undefined ? undefined : readEventCursor(cursor),
    limit: readCount("limit", limit, { min: 1, max: PAGE_LIMIT_MAX, fallback: PAGE_LIMIT_DEFAULT }),
    types: readTypes(new URLSearchParams(query).getAll("type")),
    waitSeconds: readCount("wait", wait, { min: 0, max: EVENT_WAIT_SECONDS_MAX, fallback: 0 }),
  };
}

function readTypes(names: readonly string[]): ReadonlySet<EventType> | undefined {
  return names.length === 0 ? undefined : new Set(names.map(readEventType));
}

function readEventType(name: string): EventType {
  const type = EVENT_TYPES.find((each) => each === name);
  if (type) return type;
  throw malformed(`"type" must be one of ${EVENT_TYPES.join(", ")}`);
}
