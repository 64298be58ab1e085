import { counted } from "#contract/counted.ts";

/** An agent reads every character of an answer, so an answer has at most this many bytes of JSON. */
const ANSWER_BYTES_MAX = 20_000;
/** For what an answer holds beside its items, such as a cursor. */
const RESERVED_BYTES = 500;
const TEXT_LENGTH_MAX = 2_000;
/** Control characters take six bytes each in JSON. An item has up to four long texts, and fits into an answer. */
const TEXT_BYTES_MAX = 4_500;

/** The text; if it is very long, its beginning and the number of omitted characters. */
export function shortened(text: string): string {
  let length = Math.min(text.length, TEXT_LENGTH_MAX);
  while (jsonBytes(text.slice(0, length)) > TEXT_BYTES_MAX) length = Math.floor(length * 0.9);
  if (length === text.length) return text;
  return `${text.slice(0, length).toWellFormed()}… (${counted(text.length - length, "more character")})`;
}

/** The number of items, at least one, that fit into an answer. */
export function fitting(items: readonly object[]): number {
  let bytes = RESERVED_BYTES;
  const index = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1;
    return bytes > ANSWER_BYTES_MAX;
  });
  return index < 0 ? items.length : Math.max(1, index);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
