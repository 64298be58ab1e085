const DECIMAL = /^[+-]?\d+$/;
const INT64_BITS = 64;

/** The int64 that the reader typed, or undefined. Never by way of a double. */
export function typedId(text: string): bigint | undefined {
  const typed = text.trim();
  if (!DECIMAL.test(typed)) return undefined;
  const id = BigInt(typed.replace(/^\+/, ""));
  return BigInt.asIntN(INT64_BITS, id) === id ? id : undefined;
}
