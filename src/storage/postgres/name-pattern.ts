import { foldCase } from "#core/fold.ts";

/** The letters of all scripts that have upper and lower case lie below this code point (Unicode 16). */
const CASED_CODE_POINTS_END = 0x1f000;
/** A longer pattern takes the database long to compile; what it lets through is compared with the whole part anyway. */
export const PATTERN_CHARACTERS_MAX = 64;

let alike: Map<string, string> | undefined;

/**
 * A regular expression of PostgreSQL that holds of every text whose folded form has the folded `part` in it, and for a
 * short part of no other. Each character becomes the set of those that fold to it, so the database need not know the
 * fold function, nor its locale.
 */
export function namePattern(part: string): string {
  return [...part].slice(0, PATTERN_CHARACTERS_MAX).map(anyLike).join("");
}

function anyLike(character: string): string {
  alike ??= charactersByFolding();
  const set = alike.get(character) ?? character;
  return `[${[...set].map(insideBrackets).join("")}]`;
}

/** Inside brackets these four alone mean something else (PostgreSQL manual, 9.7.3.2). */
function insideBrackets(character: string): string {
  return /[\]\\^-]/.test(character) ? `\\${character}` : character;
}

/** Looks at those characters alone that have a case: to fold every one would hold the thread up. */
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
