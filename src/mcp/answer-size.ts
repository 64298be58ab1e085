import { counted } from "#contract/counted.ts";

/**
 * An agent reads every character of an answer, so an answer has at most this many bytes of JSON, apart from a single
 * long text.
 */
const ANSWER_BYTES_MAX = 20_000;
const TEXT_LENGTH_MAX = 2_000;

/** The text; if it is very long, its beginning and the number of omitted characters. */
export function shortened(text: string): string {
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const start = text.slice(0, TEXT_LENGTH_MAX).toWellFormed();
  return `${start}… (${counted(text.length - TEXT_LENGTH_MAX, "more character")})`;
}

/** The number of items, at least one, that fit into an answer. */
export function fitting(items: readonly object[]): number {
  let bytes = 0;
  const index = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return bytes > ANSWER_BYTES_MAX;
  });
  return index < 0 ? items.length : Math.max(1, index);
}
