/** An id as callers give it: a bigint, or a number that holds it exactly (-(2^53 - 1) to 2^53 - 1). */
export type Id = bigint | number;

/** The id with all its digits. Throws a RangeError for a number that may already have been rounded. */
export function exactId(id: Id): bigint {
  if (typeof id === "bigint" || Number.isSafeInteger(id)) return BigInt(id);
  throw new RangeError(`An id must be a bigint or a safe integer, and is ${id}; write it as a bigint, as in 42n`);
}
