import { INT64_MAX, INT64_MIN } from "#core/int64.ts";

/** The id of a canonical decimal, as in an address: no `+`, no leading zero, no `-0`. Undefined for any other text. */
export { int64FromCanonicalDecimal as parsePlantId } from "#core/int64.ts";

export const PLANT_ID_RANGE = `an integer from ${INT64_MIN} to ${INT64_MAX}`;
