import { expect, test } from "bun:test";
import fc from "fast-check";
import { foldCase } from "./fold.ts";

const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const CASED = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
const cased = characters.filter((character) => CASED.test(character) || foldCase(character) !== character);

function ignoringCase(character: string, flags: string): RegExp {
  return new RegExp(`\\u{${character.codePointAt(0)?.toString(16)}}`, flags);
}

test("cased characters fold alike exactly when a /iu expression takes them for each other, in all of Unicode", () => {
  const all = cased.join("");
  const byFolding = Map.groupBy(cased, foldCase);
  for (const character of cased) {
    const alike: string[] = all.match(ignoringCase(character, "giu")) ?? [];
    expect(alike).toEqual(byFolding.get(foldCase(character)) ?? []);
  }
  expect(cased.length).toBeGreaterThan(2900);
});

test("a character without case folds to itself, and no cased one is taken for it", () => {
  const known = new Set(cased);
  const uncased = characters.filter((character) => !known.has(character));
  expect(uncased.every((character) => foldCase(character) === character)).toBe(true);
  const anyCased = new RegExp(`[${cased.map((c) => `\\u{${c.codePointAt(0)?.toString(16)}}`).join("")}]`, "iu");
  expect(anyCased.test(uncased.join(""))).toBe(false);
});

test("each character folds to one character, and folding again changes nothing", () => {
  for (const character of cased) {
    const folded = foldCase(character);
    expect([...folded]).toHaveLength(1);
    expect(foldCase(folded)).toBe(folded);
  }
});

test("a text folds character by character, whatever stands beside them", () => {
  const text = fc.array(fc.constantFrom(..."AaΣσςßẞKkİIıſS𐐀𐐨🌵%_* "), { maxLength: 12 });
  fc.assert(
    fc.property(text, (parts) => {
      expect(foldCase(parts.join(""))).toBe(parts.map(foldCase).join(""));
    }),
  );
});

test.each([
  ["MONSTERA", "monstera"],
  ["ΟΔΟΣ", "οδοσ"],
  ["οδος", "οδοσ"],
  ["\u{212a}ALANCHOE", "kalanchoe"],
  ["STRASSE ß ẞ", "strasse ß ß"],
  ["İIıi", "İiıi"],
  ["ſalvia", "salvia"],
  ["𐐀", "𐐨"],
])("%s folds to %s", (text, folded) => expect(foldCase(text)).toBe(folded));
