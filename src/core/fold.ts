/**
 * Characters whose simple case folding (Unicode CaseFolding.txt, statuses C and S) is not their lower case, such as
 * final sigma, long s and micro sign. Each pair is the character and its folding.
 */
const ODD_FOLDINGS = new Map(
  [
    "\u{17f}s",
    "\u{b5}\u{3bc}",
    "\u{345}\u{3b9}",
    "\u{1fbe}\u{3b9}",
    "\u{1fd3}\u{390}",
    "\u{3d0}\u{3b2}",
    "\u{3f5}\u{3b5}",
    "\u{3d1}\u{3b8}",
    "\u{3f0}\u{3ba}",
    "\u{3d6}\u{3c0}",
    "\u{3f1}\u{3c1}",
    "\u{3c2}\u{3c3}",
    "\u{3d5}\u{3c6}",
    "\u{1fe3}\u{3b0}",
    "\u{1c80}\u{432}",
    "\u{1c81}\u{434}",
    "\u{1c82}\u{43e}",
    "\u{1c83}\u{441}",
    "\u{1c84}\u{442}",
    "\u{1c85}\u{442}",
    "\u{1c86}\u{44a}",
    "\u{1c87}\u{463}",
    "\u{1c88}\u{a64b}",
    "\u{1e9b}\u{1e61}",
    "\u{fb05}\u{fb06}",
  ].map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]),
);

const ASCII = /^[\0-\x7f]*$/;

/**
 * The text with upper and lower case made alike, code point by code point. Two texts fold alike exactly when
 * ECMAScript's `/…/iu` treats them as equal. So `ß` is not `SS`, and the Kelvin sign is a `k`. The result never depends
 * on a locale.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = "";
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  const odd = ODD_FOLDINGS.get(character);
  if (odd !== undefined) return odd;
  const lower = character.toLowerCase();
  return isOneCodePoint(lower) ? lower : character;
}

/** The lower case of a character may be longer, as that of `İ` is; simple folding leaves such a character as it is. */
function isOneCodePoint(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
