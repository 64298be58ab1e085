import { EVENT_TYPES, type EventRequest, type EventType } from "#core/event.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { decodeHistoryCursor, readEventCursor } from "../event-cursor.ts";
import { type CountRange, PAGE_LIMIT } from "../limits.ts";
import { malformed, onceEach, readCount, readOneOf, readRepeated } from "../parameters.ts";

/** The longest wait, in seconds. */
export const EVENT_WAIT: CountRange = { min: 0, max: 30, fallback: 0 };

export const EVENT_ORDERS = ["timestamp", "-timestamp"] as const;

const PARAMETERS = ["cursor", "limit", "type", "plant", "order", "wait"] as const;

/** The parameters that only a page of the dashboard may send. */
const PAGE_PARAMETERS = [...PARAMETERS, "person"] as const;

/** Reads the raw query of the feed; one `byPerson` is that of a page of the dashboard. Throws "address-malformed". */
export function readEventQuery(query: string, { byPerson = false } = {}): EventRequest {
  const known = byPerson ? PAGE_PARAMETERS : PARAMETERS;
  const given = readRepeated(query, known);
  const types = given.get("type");
  given.delete("type");
  const {
    cursor,
    limit,
    plant,
    order = "timestamp",
    wait,
    person,
  }: Partial<Record<(typeof PAGE_PARAMETERS)[number], string>> = onceEach(given, known);
  const newestFirst = readOneOf("order", order, EVENT_ORDERS) === "-timestamp";
  if (newestFirst && wait !== undefined) throw malformed('"order=-timestamp" takes no "wait"');
  if (person !== undefined && (!newestFirst || plant !== undefined))
    throw malformed('"person" takes "order=-timestamp", and no "plant"');
  const readCursor = newestFirst ? decodeHistoryCursor : readEventCursor;
  return {
    cursor: cursor === undefined ? undefined : readCursor(cursor),
    limit: readCount("limit", limit, PAGE_LIMIT),
    types: readTypes(types ?? []),
    plant: plant === undefined ? undefined : readPlant(plant),
    newestFirst,
    doneBy: person,
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
