import { foldCase } from "#core/fold.ts";

/** Longer names are not indexed, so each search of the account compares them directly. */
export const INDEXED_NAME_LENGTH_MAX = 1000;
const TRIGRAM_LENGTH = 3;
/** The results are compared with the names anyway. */
const PATTERNS_MAX = 8;

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

/** Besides ASCII letters and digits, the characters that most names are made of. */
const PLAIN_SYMBOLS = [" ", ".", "-", "'", "(", ")"];
const PLAIN_CLASS = `A-Za-z0-9${PLAIN_SYMBOLS.filter((symbol) => symbol !== "-").join("")}-`;

/** An SQL condition that holds for a `name` whose searched form the database can make itself. */
export const IS_PLAIN = `
  CASE WHEN octet_length(name) <= ${INDEXED_NAME_LENGTH_MAX} THEN name COLLATE "C" !~ ${quoted(`[^${PLAIN_CLASS}]`)} ELSE false END`;

/** An SQL expression for the `searchText` of such a name. Of several ways to replace single characters this is PostgreSQL's fastest. */
export const PLAIN_TEXT = PLAIN_SYMBOLS.reduce(
  (text, symbol) => `replace(${text}, ${quoted(symbol)}, ${quoted(substitute(symbol))})`,
  'lower(name COLLATE "C")',
);

/** LIKE patterns for the names that may hold these folded words; none for words that are too short for the index. */
export function searchPatterns(words: readonly string[]): string[] {
  const texts = words.map(searchText).filter(({ length }) => length >= TRIGRAM_LENGTH);
  return texts.slice(0, PATTERNS_MAX).map((text) => `%${text}%`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function substitute(character: string): string {
  if (character === " ") return SPACE;
  return SYMBOLS.charAt((character.codePointAt(0) ?? 0) % SYMBOLS.length);
}
