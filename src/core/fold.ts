/**
 * Characters whose simple case folding (Unicode CaseFolding.txt, statuses C and S) is not the lower case of their upper
 * case, which has several characters.
 */
const ODD_FOLDINGS = new Map([
  ["\u{1fd3}", "\u{390}"],
  ["\u{1fe3}", "\u{3b0}"],
  ["\u{fb05}", "\u{fb06}"],
]);

/** Characters that may fold to another. The properties are those of decomposed text, and leave four out. */
const FOLDING = /[\p{Changes_When_Casefolded}\p{Changes_When_Lowercased}\u1fbe\u1fd3\u1fe3\ufb05]/gu;
const ASCII = /^[\0-\x7f]*$/;

/**
 * The text with upper and lower case made alike, code point by code point. Two texts fold alike exactly when
 * ECMAScript's `/…/iu` treats them as equal. So `ß` is not `SS`, and the Kelvin sign is a `k`. The result never depends
 * on a locale.
 */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.replace(FOLDING, foldCharacter);
}

/** By way of the upper case, since that of final sigma, long s or micro sign is that of the usual letter. */
function foldCharacter(character: string): string {
  const lower = [character.toUpperCase().toLowerCase(), character.toLowerCase()];
  return ODD_FOLDINGS.get(character) ?? lower.find(isOneCodePoint) ?? character;
}

/** The lower case of a character may be longer, as that of `İ` is; simple folding leaves such a character as it is. */
function isOneCodePoint(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
