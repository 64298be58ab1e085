import { crc32 } from "#core/crc32.ts";
import { Failure } from "#core/failure.ts";
import { int64FromCanonicalDecimal } from "#core/int64.ts";
import type { PlantQuery } from "#core/store.ts";

/**
 * A cursor that clients pass from page to page: base64url (RFC 4648, 5) of the order, the position in it, and a
 * checksum of both. It is opaque to clients, so its form may change.
 */
export function encodeCursor(order: PlantQuery["order"], position: bigint): string {
  const text = `${order} ${position}`;
  return Buffer.from(`${text} ${crc32(text).toString(36)}`).toString("base64url");
}

/**
 * The position of a cursor. Throws "address-malformed" for a cursor that encodeCursor did not make, or made for another
 * order.
 */
export function decodeCursor(order: PlantQuery["order"], cursor: string): bigint {
  const [, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const position = int64FromCanonicalDecimal(digits);
  if (position === undefined || encodeCursor(order, position) !== cursor) throw notOurs(order);
  return position;
}

function notOurs(order: PlantQuery["order"]): Failure {
  return new Failure(
    "address-malformed",
    `"cursor" must be the next_cursor of a page that was listed with order=${order}, unaltered`,
  );
}
