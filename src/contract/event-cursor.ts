import { decodeCursor, encodeCursor } from "./cursor.ts";
import { malformed } from "./parameters.ts";

export function encodeEventCursor(after: bigint): string {
  return encodeCursor("events", after);
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
