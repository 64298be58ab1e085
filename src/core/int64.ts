/** The range of an int64, as the interface's `format: int64` means it (OpenAPI 3.1 format registry). */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The int64 that a JSON number stands for, read from its digits; undefined if it is none. `5.0` and `5e0` are integers
 * (JSON Schema 2020-12, 6.1.1); `1e-400` and `4.9999999999999999999999` are not, although a double would round them.
 * The exponent is never expanded, so `1e999999999` costs nothing.
 */
export function int64FromDigits(digits: string): bigint | undefined {
  const match = JSON_NUMBER.exec(digits);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponentText = "0"] = match;
  const significand = (whole + fraction).replace(/^0+/, "");
  if (significand === "") return 0n;
  const trimmed = trimTrailingZeros(significand);
  const exponent = Number(exponentText) - fraction.length + (significand.length - trimmed.length);
  // An int64 has at most 19 digits.
  if (exponent < 0 || trimmed.length + exponent > 19) return undefined;
  return inInt64(BigInt(`${sign}${trimmed}${"0".repeat(exponent)}`));
}

const CANONICAL_DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/;

/**
 * The int64 of a canonical decimal (no `+`, no leading zero, no `-0`), the form of ids in a path; undefined for any
 * other text.
 */
export function int64FromCanonicalDecimal(text: string): bigint | undefined {
  return CANONICAL_DECIMAL.test(text) ? inInt64(BigInt(text)) : undefined;
}

function inInt64(value: bigint): bigint | undefined {
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}
