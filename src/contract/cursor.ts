import { int64FromCanonicalDecimal } from "#core/int64.ts";
import type { PlantQuery } from "#core/records.ts";
import type { SortedOrder } from "./dashboard/sorted-plants.ts";

/**
 * A cursor is a position in a list in its order, in the feed of events, back in the history of a plant, in the
 * writes of an import, or in the log of deliveries.
 */
type Sequence = PlantQuery["order"] | SortedOrder | "events" | "history" | "import" | "deliveries";

/**
 * A cursor that clients pass from page to page: base64url (RFC 4648, 5) of the sequence, the position in it, and a
 * checksum of both. It is opaque to clients, so its form may change.
 */
export function encodeCursor(sequence: Sequence, position: bigint): string {
  const text = `${sequence} ${position}`;
  return Buffer.from(`${text} ${Bun.hash.crc32(text).toString(36)}`).toString("base64url");
}

/** The position of a cursor; undefined for one that encodeCursor did not make, or made for another sequence. */
export function decodeCursor(sequence: Sequence, cursor: string): bigint | undefined {
  const [, digits = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  const position = int64FromCanonicalDecimal(digits);
  return position !== undefined && encodeCursor(sequence, position) === cursor ? position : undefined;
}
