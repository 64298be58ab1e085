import { eventNumber } from "#core/event.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { malformed } from "./parameters.ts";

export function encodeEventCursor(after: bigint): string {
  return encodeCursor("events", after);
}

/** A cursor of a page of the feed, or of a plant's history, that is read newest first. */
export function encodeHistoryCursor(before: bigint): string {
  return encodeCursor("history", before);
}

/** Throws "address-malformed" for anything but the id of an event and a cursor that `encodeHistoryCursor` made. */
export function decodeHistoryCursor(cursor: string): bigint {
  const before = eventNumber(cursor) ?? decodeCursor("history", cursor);
  if (before !== undefined) return before;
  throw malformed('"cursor" must be a next_cursor of a page in the same order, unaltered');
}

/** A cursor, or `latest`. Throws "address-malformed". */
export function readEventCursor(cursor: string): bigint | "latest" {
  return cursor === "latest" ? cursor : decodeEventCursor(cursor);
}

/** Throws "address-malformed" for anything but the id of an event and a cursor that `encodeEventCursor` made. */
export function decodeEventCursor(cursor: string): bigint {
  const after = eventNumber(cursor) ?? decodeCursor("events", cursor);
  if (after !== undefined && after >= 0n) return after;
  const forms = "latest, the id of an event, a next_cursor of /v1/events in the same order, or an Events-Cursor";
  throw malformed(`"cursor" must be ${forms}, unaltered`);
}
