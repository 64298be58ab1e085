/** The members that are int64. */
const INT64: ReadonlySet<string> = new Set(["id", "line", "created", "unchanged", "failed"]);

/** Reads them as bigints, from their digits. */
export function exactIntegers(key: string, value: unknown, context: { source?: string } = {}): unknown {
  return typeof value === "number" && INT64.has(key) ? BigInt(context.source ?? value) : value;
}

/** Writes bigints as numbers with all their digits. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
Object.defineProperty(BigInt.prototype, "toJSON", {
  value(this: bigint) {
    return rawJSON(this.toString());
  },
});
