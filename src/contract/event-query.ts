import { crc32 } from "#core/crc32.ts";
import { EVENT_TYPES, type EventType } from "#core/event.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "./limits.ts";
import { malformed, readCount, readParameters } from "./parameters.ts";

export const EVENT_WAIT_SECONDS_MAX = 30;

/** A query of the feed. `cursor` is undefined for the oldest event that is kept. */
export interface EventRequest {
  readonly cursor: bigint | "latest" | undefined;
  readonly limit: number;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly waitSeconds: number;
}

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

/** A position in the feed, as clients carry it. Opaque, and checked like the cursors of lists. */
export function encodeEventCursor(after: bigint): string {
  const position = `events ${after}`;
  return Buffer.from(`${position} ${crc32(position).toString(36)}`).toString("base64url");
}

/** Throws "address-malformed" for what `encodeEventCursor` did not make. */
export function readEventCursor(cursor: string): bigint | "latest" {
  return cursor === "latest" ? cursor : decodeEventCursor(cursor);
}

export function decodeEventCursor(cursor: string): bigint {
  const [, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const after = int64FromCanonicalDecimal(digits);
  if (after !== undefined && after >= 0n && encodeEventCursor(after) === cursor) return after;
  throw malformed('"cursor" must be latest, a next_cursor of /v1/events, or an Events-Cursor, unaltered');
}

function readTypes(names: readonly string[]): ReadonlySet<EventType> | undefined {
  return names.length === 0 ? undefined : new Set(names.map(readEventType));
}

function readEventType(name: string): EventType {
  const type = EVENT_TYPES.find((each) => each === name);
  if (type) return type;
  throw malformed(`"type" must be one of ${EVENT_TYPES.join(", ")}`);
}
