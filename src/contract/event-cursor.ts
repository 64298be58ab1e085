import { decodeCursor, encodeCursor } from "./cursor.ts";
import { malformed } from "./parameters.ts";

export function encodeEventCursor(after: bigint): string {
  return encodeCursor("events", after);
}

/** For a page of a plant's history, newest first. */
export function encodeHistoryCursor(before: bigint): string {
  return encodeCursor("history", before);
}

/** Throws "address-malformed" for a cursor that `encodeHistoryCursor` did not make. */
export function decodeHistoryCursor(cursor: string): bigint {
  const before = decodeCursor("history", cursor);
  if (before !== undefined) return before;
  throw malformed('"cursor" must be a next_cursor of a page in the same order, unaltered');
}

/** A cursor, or `latest`. Throws "address-malformed". */
export function readEventCursor(cursor: string): bigint | "latest" {
  return cursor === "latest" ? cursor : decodeEventCursor(cursor);
}

/** Throws "address-malformed" for a cursor that `encodeEventCursor` did not make. */
export function decodeEventCursor(cursor: string): bigint {
  const after = decodeCursor("events", cursor);
  if (after !== undefined && after >= 0n) return after;
  throw malformed('"cursor" must be latest, a next_cursor of /v1/events, or an Events-Cursor, unaltered');
}
