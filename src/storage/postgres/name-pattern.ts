import { foldCase } from "#core/fold.ts";

/** The letters of all scripts with upper and lower case lie below this code point (Unicode 16). */
const CASED_CODE_POINTS_END = 0x1f000;
/** More or longer patterns take the database long to compile. */
const PATTERNS_MAX = 8;
const PATTERN_CHARACTERS_MAX = 64;

let alike: Map<string, string> | undefined;

/**
 * A PostgreSQL regular expression for each folded word, or its beginning, which matches every text whose folded form
 * contains that; what is found is compared with the words in any case. Each character becomes the set of characters that
 * fold to it, so the result depends neither on a fold function of the database nor on its locale.
 */
export function namePatterns(words: readonly string[]): readonly string[] {
  const patterns: string[] = [];
  let rest = PATTERN_CHARACTERS_MAX;
  for (const word of words.slice(0, PATTERNS_MAX)) {
    const characters = [...word];
    if (rest > 0) patterns.push(characters.slice(0, rest).map(anyLike).join(""));
    rest -= characters.length;
  }
  return patterns;
}

function anyLike(character: string): string {
  alike ??= charactersByFolding();
  const set = alike.get(character) ?? character;
  return `[${[...set].map(insideBrackets).join("")}]`;
}

/** Only these four characters have a meaning of their own inside brackets (PostgreSQL manual, 9.7.3.2). */
function insideBrackets(character: string): string {
  return /[\]\\^-]/.test(character) ? `\\${character}` : character;
}

/** Looks only at characters that have a case: folding all of Unicode would block the thread. */
function charactersByFolding(): Map<string, string> {
  const sets = new Map<string, string>();
  for (const [character] of allCharacters().matchAll(MAY_CHANGE)) {
    const folded = foldCase(character);
    if (folded !== character) sets.set(folded, (sets.get(folded) ?? folded) + character);
  }
  return sets;
}

const MAY_CHANGE = /[\p{Cased}\p{Changes_When_Casefolded}]/gu;
const CHUNK = 4096;

function allCharacters(): string {
  let all = "";
  for (let start = 0; start < CASED_CODE_POINTS_END; start += CHUNK) {
    all += String.fromCodePoint(...Array.from({ length: CHUNK }, (_, at) => start + at));
  }
  return all.toWellFormed();
}
