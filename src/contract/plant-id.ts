import { INT64_MAX, INT64_MIN, int64FromCanonicalDecimal as parsePlantId } from "#core/int64.ts";

/** The id of a canonical decimal, as in an address: no `+`, no leading zero, no `-0`. Undefined for any other text. */
export { parsePlantId };

export const PLANT_ID_RANGE = `an integer from ${INT64_MIN} to ${INT64_MAX}`;

/** The id that is typed by its digits, also with the zeros that scanners put before those of an EAN or UPC. */
export function typedPlantId(text: string): bigint | undefined {
  return parsePlantId(text.trim().replace(/^0+(?=\d)/, ""));
}
