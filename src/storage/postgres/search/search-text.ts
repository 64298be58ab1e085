import { foldCase } from "#core/fold.ts";

/** A longer name is not indexed: each search of the account looks at it. */
export const INDEXED_NAME_LENGTH_MAX = 1000;
const TRIGRAM_LENGTH = 3;

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";
const SPACE = "q";

/**
 * The form of a name that the trigram index holds: folded, and each character that is no ASCII letter or digit replaced
 * by one. pg_trgm leaves out what its locale takes for no letter, and ends a word there, so a search for `(♀)` would read
 * the whole index. Different names may have one form; what is found is compared with the name itself.
 */
export function searchText(name: string): string {
  return foldCase(name).replace(/[^a-z0-9]/gu, substitute);
}

/** The pattern of LIKE for names that may have this folded part; undefined if it is too short for the index. */
export function searchPattern(foldedPart: string): string | undefined {
  const text = searchText(foldedPart);
  return text.length < TRIGRAM_LENGTH ? undefined : `%${text}%`;
}

function substitute(character: string): string {
  if (character === " ") return SPACE;
  return SYMBOLS.charAt((character.codePointAt(0) ?? 0) % SYMBOLS.length);
}
