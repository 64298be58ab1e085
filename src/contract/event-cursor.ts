import { crc32 } from "#core/crc32.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import { malformed } from "./parameters.ts";

/** A position in the feed as a cursor for clients: opaque, and with a checksum like the cursors of lists. */
export function encodeEventCursor(after: bigint): string {
  const position = `events ${after}`;
  return Buffer.from(`${position} ${crc32(position).toString(36)}`).toString("base64url");
}

/** A cursor, or `latest`. Throws "address-malformed". */
export function readEventCursor(cursor: string): bigint | "latest" {
  return cursor === "latest" ? cursor : decodeEventCursor(cursor);
}

/** Throws "address-malformed" for a cursor that `encodeEventCursor` did not make. */
export function decodeEventCursor(cursor: string): bigint {
  const [, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const after = int64FromCanonicalDecimal(digits);
  if (after !== undefined && after >= 0n && encodeEventCursor(after) === cursor) return after;
  throw malformed('"cursor" must be latest, a next_cursor of /v1/events, or an Events-Cursor, unaltered');
}
