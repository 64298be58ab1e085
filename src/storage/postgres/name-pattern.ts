import { foldedForms, MARK, MAY_FOLD, SPLIT_SIGNS } from "#core/fold.ts";
import type { SearchWord } from "#core/plant-filter.ts";

/** The letters of all scripts with upper and lower case lie below this code point (Unicode 16). */
const CASED_CODE_POINTS_END = 0x1f000;
/** The default-ignorable code points beyond them (Unicode 16). */
const IGNORABLE_CODE_POINTS = [0xe0000, 0xe0fff] as const;
/** More or longer patterns take the database long to compile. */
const PATTERNS_MAX = 8;
const PATTERN_CHARACTERS_MAX = 64;

/** An SQL expression for `name` as the patterns meet it: in NFKC, after the signs that NFKC would split are replaced. */
export const COMPOSED_NAME = `
  CASE WHEN octet_length(name) = char_length(name) OR name IS NFKC NORMALIZED THEN name
    ELSE normalize(translate(name, '${Object.keys(SPLIT_SIGNS).join("")}', '${Object.values(SPLIT_SIGNS).join("").replaceAll("'", "''")}'), NFKC) END`;

interface Alike {
  /** For each folded character, the characters whose folded form contains it. */
  readonly characters: ReadonlyMap<string, string>;
  /** For each two folded characters, the characters that fold to both. */
  readonly pairs: ReadonlyMap<string, string>;
  /** The marks and other characters that may stand anywhere. */
  readonly leftOut: string;
}

let alike: Alike | undefined;

/**
 * A PostgreSQL regular expression for each word, or its beginning, which matches `COMPOSED_NAME` of every name that has the
 * word; what is found is compared with the words themselves. Each character becomes the set of characters that fold to
 * it, so the result depends neither on a fold function of the database nor on its locale.
 */
export function namePatterns(words: readonly SearchWord[]): readonly string[] {
  const patterns: string[] = [];
  let rest = PATTERN_CHARACTERS_MAX;
  for (const forms of words.slice(0, PATTERNS_MAX)) {
    const beginnings = forms.map((form) => [...form].slice(0, rest));
    if (rest > 0) patterns.push(beginnings.map(patternOf).join("|"));
    rest -= Math.max(...beginnings.map(({ length }) => length));
  }
  return patterns;
}

function patternOf(characters: readonly string[]): string {
  alike ??= charactersByFolding();
  const { characters: sets, pairs, leftOut } = alike;
  const steps = characters.map((character, at) => {
    const set = oneOf(sets.get(character) ?? character);
    const both = pairs.get(`${characters[at - 1]}${character}`);
    return both ? `(?:${set}|(?<=${oneOf(both)}))` : set;
  });
  return steps.join(`${leftOut}*`);
}

function oneOf(characters: string): string {
  return `[${[...characters].map(insideBrackets).join("")}]`;
}

/** Only these four characters have a meaning of their own inside brackets (PostgreSQL manual, 9.7.3.2). */
function insideBrackets(character: string): string {
  return /[\]\\^-]/.test(character) ? `\\${character}` : character;
}

/** Looks only at characters that may fold to others: folding all of Unicode would block the thread. */
function charactersByFolding(): Alike {
  const [characters, pairs] = [new Map<string, string>(), new Map<string, string>()];
  const all = allCharacters();
  for (const [character] of all.matchAll(MAY_FOLD)) {
    for (const form of foldedForms(character)) {
      const folded = [...form];
      if (form === character || (folded.length > 1 && character.normalize("NFKC") !== character)) continue;
      for (const [at, each] of folded.entries()) {
        add(characters, each, character, each);
        if (at > 0) add(pairs, `${folded[at - 1]}${each}`, character);
      }
    }
  }
  return { characters, pairs, leftOut: rangesOf(all.matchAll(LEFT_OUT)) };
}

const LEFT_OUT = new RegExp(`${MARK}|\\p{Default_Ignorable_Code_Point}`, "gu");

function add(sets: Map<string, string>, to: string, character: string, first = ""): void {
  const set = sets.get(to) ?? first;
  if (!set.includes(character)) sets.set(to, set + character);
}

/** A bracket expression for these characters and those that are ignorable beyond them. */
function rangesOf(matches: Iterable<readonly string[]>): string {
  const ranges: [number, number][] = [];
  for (const [character = ""] of matches) {
    const code = character.codePointAt(0) ?? 0;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  ranges.push([...IGNORABLE_CODE_POINTS]);
  return `[${ranges.map(([first, last]) => `${String.fromCodePoint(first)}-${String.fromCodePoint(last)}`).join("")}]`;
}

const CHUNK = 4096;

function allCharacters(): string {
  let all = "";
  for (let start = 0; start < CASED_CODE_POINTS_END; start += CHUNK) {
    all += String.fromCodePoint(...Array.from({ length: CHUNK }, (_, at) => start + at));
  }
  return all.toWellFormed();
}
