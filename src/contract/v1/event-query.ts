import { EVENT_TYPES, type EventRequest, type EventType } from "#core/event.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { decodeHistoryCursor, readEventCursor } from "../event-cursor.ts";
import { type CountRange, PAGE_LIMIT } from "../limits.ts";
import { malformed, onceEach, readCount, readOneOf, readRepeated } from "../parameters.ts";

/** In seconds. */
export const EVENT_WAIT: CountRange = { min: 0, max: 30, fallback: 0 };

export const EVENT_ORDERS = ["timestamp", "-timestamp"] as const;

const PARAMETERS = ["cursor", "limit", "type", "plant", "order", "wait"] as const;

/** Reads the raw query of the feed. Throws "address-malformed". */
export function readEventQuery(query: string): EventRequest {
  const given = readRepeated(query, PARAMETERS);
  const types = given.get("type");
  given.delete("type");
  const { cursor, limit, plant, order = "timestamp", wait } = onceEach(given, PARAMETERS);
  const newestFirst = readOneOf("order", order, EVENT_ORDERS) === "-timestamp";
  if (newestFirst && wait !== undefined) throw malformed('"order=-timestamp" takes no "wait"');
  const readCursor = newestFirst ? decodeHistoryCursor : readEventCursor;
  return {
    cursor: cursor === undefined ? undefined : readCursor(cursor),
    limit: readCount("limit", limit, PAGE_LIMIT),
    types: readTypes(types ?? []),
    plant: plant === undefined ? undefined : readPlant(plant),
    newestFirst,
    waitSeconds: readCount("wait", wait, EVENT_WAIT),
  };
}

function readPlant(plant: string): bigint {
  const id = int64FromCanonicalDecimal(plant);
  if (id !== undefined) return id;
  throw malformed('"plant" must be the id of a plant, an int64 written plainly');
}

function readTypes(names: readonly string[]): ReadonlySet<EventType> | undefined {
  return names.length === 0 ? undefined : new Set(names.map((name) => readOneOf("type", name, EVENT_TYPES)));
}
