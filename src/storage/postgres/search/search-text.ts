import { foldedForms } from "#core/fold.ts";
import type { SearchWord } from "#core/plant-filter.ts";

/** Longer names are not indexed, so each search of the account compares them directly. */
export const INDEXED_NAME_LENGTH_MAX = 1000;
const TRIGRAM_LENGTH = 3;
/** The results are compared with the names anyway. */
const PATTERNS_MAX = 8;

const SYMBOLS = "abcdefghijklmnopqrstuvwxyz0123456789";
const SPACE = "q";

/**
 * The forms of a name in the trigram index: its folded forms, with every character other than an ASCII letter or digit
 * replaced by one. pg_trgm leaves out characters that are not letters in its locale, and ends a word there, so a search
 * for `(♀)` would read the whole index. Different names may have the same form; the results are compared with the names
 * themselves.
 */
export function searchText(name: string): string {
  return foldedForms(name).map(substituted).join(" ");
}

function substituted(folded: string): string {
  return folded.replace(/[^a-z0-9]/gu, substitute);
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

/** LIKE patterns for the names that may hold all of these words; none for words that are too short for the index. */
export function searchPatterns(words: readonly SearchWord[]): string[] {
  const texts = words.map(sharedText).filter((text) => partsOf(text).length > 0);
  return texts.slice(0, PATTERNS_MAX).map((text) => `%${text}%`);
}

/** LIKE patterns of which the names that may hold a word match one, where its forms share too little for `searchPatterns`. */
export function eitherPatterns(words: readonly SearchWord[]): string[] | undefined {
  const texts = words.map((forms) => forms.map(substituted));
  const found = texts.find((forms) => forms.every(({ length }) => length >= TRIGRAM_LENGTH));
  return found?.map((text) => `%${text}%`);
}

/** The parts of a pattern that are long enough for the index. */
export function partsOf(pattern: string): string[] {
  return pattern.split("%").filter(({ length }) => length >= TRIGRAM_LENGTH);
}

/** The text that the forms of a word share, with % where the second one has an e more. */
function sharedText([first = "", second = first]: SearchWord): string {
  let [text, at] = ["", 0];
  for (const character of first) {
    const next = second.indexOf(character, at);
    text += next > at ? `%${substituted(character)}` : substituted(character);
    at = next + character.length;
  }
  return text;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function substitute(character: string): string {
  if (character === " ") return SPACE;
  return SYMBOLS.charAt((character.codePointAt(0) ?? 0) % SYMBOLS.length);
}
