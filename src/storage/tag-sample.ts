/** Accounts with at most this many plants are read whole. */
const SAMPLED_PLANTS_MAX = 10_000;
const STRETCHES = 500;
/** Multiples of it fall evenly between 0 and 1 without a period, which a catalogue's tags may have. */
const GOLDEN_RATIO = 0.618_034;
/**
 * Longer tags are not suggested. Plants with longer names are not read, since their tags are stored after the names.
 */
const TAG_BYTES_MAX = 200;
const NAME_BYTES_MAX = 2000;
export const TAGS_SUGGESTED_MAX = 200;

/**
 * How many plants are read in each range of an account's insertion numbers, and for each range how far below its end, as a
 * fraction of its length.
 */
export function sampleOf(plants: number): { readonly shifts: readonly number[]; readonly plantsEach: number } {
  const stretches = plants <= SAMPLED_PLANTS_MAX ? 1 : STRETCHES;
  const shifts = Array.from({ length: stretches }, (_, stretch) => (stretch * GOLDEN_RATIO) % 1);
  return { shifts, plantsEach: SAMPLED_PLANTS_MAX / stretches };
}

/**
 * The tag of a plant as an SQL expression, null if it should not be suggested. Lengths are known without reading the
 * text.
 */
export const SUGGESTED_TAG = `CASE WHEN octet_length(name) <= ${NAME_BYTES_MAX} AND octet_length(tag) BETWEEN 1 AND ${TAG_BYTES_MAX} THEN tag END`;
