import { expect, test } from "bun:test";
import fc from "fast-check";
import { fold, foldedForms } from "./fold.ts";

const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const HARD =
  "aAeEiIıİoOuUsSßẞſσςΣk\u{212a}æØđŁ×'’‘“´-‐−\u{301}\u{308}\u{331}\u{345}\u{20dd}\u{3099}\u{200d}\u{a0}かंह한ᄒ";

test("folding again changes nothing, and composed and decomposed text fold alike, in all of Unicode", () => {
  const unlike = characters.filter((character) => {
    const folded = fold(character);
    return fold(folded) !== folded || fold(character.normalize("NFD")) !== folded;
  });
  expect(unlike).toEqual([]);
});

test("the same holds for texts of characters that act on each other", () => {
  const any = fc.oneof(fc.constantFrom(...HARD), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), (parts) => {
      const text = parts.join("");
      for (const form of foldedForms(text)) expect(fold(form)).toBe(form);
      expect(foldedForms(text)[0]).toBe(fold(text));
      expect(foldedForms(text.normalize("NFD"))).toEqual(foldedForms(text.normalize("NFC")));
    }),
    { numRuns: 2000 },
  );
});

test("whatever a /iu expression takes for the same character folds alike", () => {
  const cased = characters.filter((character) => /(?!\p{M})\p{Changes_When_Casefolded}/u.test(character));
  for (const character of cased) {
    expect(fold(character)).toBe(fold(character.toLowerCase()));
    const upper = character.toUpperCase();
    if ([...upper].length === 1) expect(fold(character)).toBe(fold(upper));
  }
  expect(cased.length).toBeGreaterThan(1400);
});

test.each([
  ["MONSTERA ~`'\"", "monstera ~`'\""],
  ["Groß STRASSE ẞ", "gross strasse ss"],
  ["İZMİR ızmır", "izmir izmir"],
  ["Crème cre\u{300}me", "creme creme"],
  ["ΟΔΟΣ οδος ᾳ", "οδοσ οδοσ α"],
  ["ЁЖ", "еж"],
  ["Ørsted æ Œ Đ Łódź", "orsted ae oe d lodz"],
  ["a‐b‑c–d—e−f－g", "a-b-c-d-e-f-g"],
  ["‘’‚‛ʼ´′", "'''''''"],
  ["“”„«»″「", '"""""""'],
  ["a\t\u{a0}\u{3000}\u{2028}b", "a    b"],
  ["Medicago × varia ×Gaulnettya", "medicago x varia xgaulnettya"],
  ["ﬁg ² ㎏ Ａ ſ \u{212a}", "fig 2 kg a s k"],
  ["so\u{ad}ft 🌵\u{fe0f}", "soft 🌵"],
  ["Ё\u{119e0} \u{119e0}\u{308}", "е\u{119e0} \u{119e0}\u{308}"],
  ["हिन्दी が 한국 שָׁ", "हिन्दी が 한국 שָׁ"],
])("%s folds to %s", (text, folded) => expect(fold(text)).toBe(folded.normalize("NFC")));

test("a text with ä, ö or ü has a second form with ae, oe and ue, and others have one", () => {
  expect(foldedForms("Glücksfeder Größe Ähre")).toEqual(["glucksfeder grosse ahre", "gluecksfeder groesse aehre"]);
  expect(foldedForms("U\u{308}")).toEqual(["u", "ue"]);
  for (const text of ["Mueller", "naïve", "Groß", "æ", "한국"]) expect(foldedForms(text)).toEqual([fold(text)]);
});
