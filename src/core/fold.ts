/** Text that folds to its lower case: most names. */
const PLAIN = /^[ -~]*$/;
/** Signs that would decompose to a blank with a mark above it, or to two primes. */
export const SPLIT_SIGNS = { "´": "'", "\u1ffd": "'", "˝": '"', "″": '"', "‶": '"' } as const;
const SPLIT_SIGN = new RegExp(`[${Object.keys(SPLIT_SIGNS).join("")}]`, "g");
/** Besides those of the properties, apostrophes by their names and primes, as well as the mark below ᾳ. */
const SIGN = "\\p{Quotation_Mark}\\p{Dash}\\p{White_Space}\\p{Default_Ignorable_Code_Point}ʹ-ʿˈˮ՚׳״ߴߵ′‵Ꞌꞌ×\u0345";
const SIGNS = new RegExp(`(?![ -~])[${SIGN}]`, "gu");
const APOSTROPHE = /[ʹ-ʿˈ՚׳ߴߵ‘-‛′‵‹›Ꞌꞌ]/u;
const QUOTATION_MARK = /[\p{Quotation_Mark}ˮ״]/u;
const UMLAUTS = /([aouAOU])\u0308/g;
const SCRIPTS = "\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}";
/** A mark that is left out after a letter of these scripts. */
export const MARK = `(?=\\p{M})[\\p{Script=Inherited}${SCRIPTS}]`;
/** Other marks may stand between the letter and its mark, since decomposition puts some of them first. */
const MARKED = new RegExp(`${MARK}(?<=[${SCRIPTS}]\\p{M}+)`, "gu");
/** Letters with a stroke and ligatures have no decomposition; ς is the form of σ at the end of a word. */
const LETTERS = { æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ħ: "h", ŧ: "t", ς: "σ" } as const;
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** A character that may fold to another, apart from marks. */
export const MAY_FOLD = new RegExp(
  `[\\p{Changes_When_NFKC_Casefolded}\\p{Changes_When_Lowercased}${SCRIPTS}${SIGN}]`,
  "gu",
);

/**
 * The text as people type it, in the way of UTR 30 and Lucene's ICUFoldingFilter: compatibility decomposition, full case
 * folding, no marks above Latin, Greek and Cyrillic letters, and one kind of dash, apostrophe, quotation mark and blank.
 * Folding again changes nothing, and the result never depends on a locale.
 */
export function fold(text: string): string {
  return PLAIN.test(text) ? text.toLowerCase() : folded(decomposed(text));
}

/** The folded text, and the one with ä, ö and ü as ae, oe and ue if that is another. Texts are alike if any forms are. */
export function foldedForms(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text.toLowerCase()];
  const parts = decomposed(text);
  const spelled = parts.replace(UMLAUTS, "$1e");
  return spelled === parts ? [folded(parts)] : [folded(parts), folded(spelled)];
}

/** True if the text holds the part, in any of their forms. */
export function holdsFolded(text: string, part: string): boolean {
  const parts = foldedForms(part);
  return foldedForms(text).some((form) => parts.some((sought) => form.includes(sought)));
}

/** The text decomposed, with one kind of dash, apostrophe, quotation mark and blank: the same for texts that look alike. */
export function decomposed(text: string): string {
  const whole = text.replace(SPLIT_SIGN, (sign) => SPLIT_SIGNS[sign as keyof typeof SPLIT_SIGNS]);
  return whole.normalize("NFKD").replace(SIGNS, plainSign);
}

function plainSign(sign: string): string {
  if (sign === "×") return "x";
  if (/\p{Dash}/u.test(sign)) return "-";
  if (/\p{White_Space}/u.test(sign)) return " ";
  if (APOSTROPHE.test(sign)) return "'";
  return QUOTATION_MARK.test(sign) ? '"' : "";
}

/** The first lower case is that of ẞ, which is its own upper case; the upper case makes one of ß and ss, ı and i. */
function folded(parts: string): string {
  const cased = parts.replace(MARKED, "").toLowerCase().toUpperCase().toLowerCase();
  return cased.replace(LETTER, (letter) => LETTERS[letter as keyof typeof LETTERS]).normalize("NFC");
}
