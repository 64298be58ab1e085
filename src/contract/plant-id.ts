import { INT64_MAX, INT64_MIN, int64FromCanonicalDecimal } from "#core/int64.ts";

/** The ids that a plant may have, as a message names them. */
export const PLANT_ID_RANGE = `an integer from ${INT64_MIN} to ${INT64_MAX}`;

/** The id that a canonical decimal writes, as in an address: no `+`, no leading zero, no `-0`. Undefined for other text. */
export function parsePlantId(text: string): bigint | undefined {
  return int64FromCanonicalDecimal(text);
}
