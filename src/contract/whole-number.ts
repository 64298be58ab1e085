/** Sixteen digits hold every number up to `Number.MAX_SAFE_INTEGER`. */
const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

export interface Bounds {
  readonly min: number;
  /** The upper bound, at most `Number.MAX_SAFE_INTEGER`. */
  readonly max: number;
}

/** A number in plain decimal digits; undefined for an empty text, a sign, `007`, `1e3` or `0x10`, or beyond the bounds. */
export function readWholeNumber(text: string, { min, max }: Bounds): number | undefined {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}
