import { z } from "zod";
import { counted } from "#contract/counted.ts";

/** An agent reads every character of an answer, so an answer has at most this many bytes of JSON. */
const ANSWER_BYTES_MAX = 20_000;
/** Room for an answer's other members, such as a cursor. */
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

const PAGE_LIMIT = { max: 100, fallback: 20 } as const;

export function limitParameter(items: string) {
  const { max, fallback } = PAGE_LIMIT;
  return z.int().min(1).max(max).optional().describe(`At most this many ${items}; ${fallback} by default.`);
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

/**
 * A page whose items fit into an answer. One that is too long is asked for again, shorter, so that its cursor goes on
 * right after its items.
 */
export async function fittingPage<Page, Item extends object>(
  limit: number | undefined,
  ask: (limit: number) => Promise<Page>,
  itemsOf: (page: Page) => Item[],
): Promise<{ readonly page: Page; readonly items: Item[] }> {
  const page = await ask(limit ?? PAGE_LIMIT.fallback);
  const items = itemsOf(page);
  const length = fitting(items);
  return length === items.length ? { page, items } : fittingPage(length, ask, itemsOf);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
