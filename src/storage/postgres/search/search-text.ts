import { foldCase } from "#core/fold.ts";

/** Longer names are not indexed, so each search of the account compares them directly. */
export const INDEXED_NAME_LENGTH_MAX = 1000;
const TRIGRAM_LENGTH = 3;

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";
const SPACE = "q";

/**
 * The form of a name in the trigram index: case-folded, and with every character other than an ASCII letter or digit
 * replaced by one. pg_trgm leaves out characters that are not letters in its locale, and ends a word there, so a search
 * for `(♀)` would read the whole index. Different names may have the same form; the results are compared with the names
 * themselves.
 */
export function searchText(name: string): string {
  return foldCase(name).replace(/[^a-z0-9]/gu, substitute);
}

/** The LIKE pattern for names that may contain this folded part; undefined if it is too short for the index. */
export function searchPattern(foldedPart: string): string | undefined {
  const text = searchText(foldedPart);
  return text.length < TRIGRAM_LENGTH ? undefined : `%${text}%`;
}

function substitute(character: string): string {
  if (character === " ") return SPACE;
  return SYMBOLS.charAt((character.codePointAt(0) ?? 0) % SYMBOLS.length);
}
