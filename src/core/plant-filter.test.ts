import { expect, test } from "bun:test";
import { passes, plantFilter } from "./plant-filter.ts";

const monstera = { name: "Monstera DELICIOSA 100%_*", tag: "Indoor" };
const untagged = { name: "ſalvia ΟΔΟΣ", tag: undefined };

function finds(plant: typeof monstera | typeof untagged, query: { q?: string; tag?: string }): boolean {
  return passes(plantFilter({ q: query.q, tag: query.tag }), plant);
}

test("a part of the name is found in any case, anywhere", () => {
  for (const q of ["monstera", "MONSTERA", "delic", "A d", "%_*", "100%"]) expect(finds(monstera, { q })).toBe(true);
  for (const q of ["Salvia", "οδος", "ΟΔΟσ"]) expect(finds(untagged, { q })).toBe(true);
});

test.each<[string, readonly string[]]>([
  ["Glücksfeder", ["glücksfeder", "glucksfeder", "gluecksfeder", "GLU\u0308CK", "GLUECK"]],
  ["Mueller", ["müller", "mueller", "Müller"]],
  ["Groß Große", ["gross", "GROẞE", "groß"]],
  ["İZMİR", ["izmir", "İzmir", "ızmır"]],
  ["Cre\u0300me brûlée", ["creme", "crème", "brulee"]],
  ["Medicago × varia", ["Medicago x varia", "×", "medicago × VARIA"]],
  ["×Gaulnettya", ["gaulnettya", "xgaul"]],
  ["Ilex ‘J. C. van Tol’ – 5″", ["'j.", "tol'", "-", '5"', "\u2212", "’j."]],
  ["a\u00a0b", ["a b", "b\u3000a"]],
  ["हिन्दी が", ["हिन्दी", "か\u3099"]],
])("%s is found as people type it", (name, asked) => {
  for (const q of asked) expect([q, finds({ name, tag: undefined }, { q })]).toEqual([q, true]);
});

test("what is another letter is not found", () => {
  const pairs = [
    ["Mueller", "muller"],
    ["Muller", "mueller"],
    ["が", "か"],
    ["हिन्दी", "हन"],
    ["한", "하"],
    ["naïve", "naieve"],
  ];
  for (const [name = "", q] of pairs) expect([q, finds({ name, tag: undefined }, { q })]).toEqual([q, false]);
});

test("several words are found in any order, each anywhere, and all of them", () => {
  for (const q of ["delic monst", "A d", " 100%\u3000STERA\n", "a a a", "\u00a0"])
    expect(finds(monstera, { q })).toBe(true);
  for (const q of ["monstera salvia", "monstera, deliciosa"]) expect(finds(monstera, { q })).toBe(false);
});

test("white space alone is no filter, and more than a hundred different words are refused", () => {
  expect(plantFilter({ q: " \t\u2028", tag: undefined }).open).toBe(true);
  const words = Array.from({ length: 101 }, (_, at) => `w${at}`);
  expect(plantFilter({ q: [...words.slice(1), ...words.slice(1)].join(" "), tag: undefined }).words).toHaveLength(100);
  expect(() => plantFilter({ q: words.join(" "), tag: undefined })).toThrow("at most 100 different words, and has 101");
});

test("wildcards are plain characters", () => {
  for (const q of ["m%a", "monst_ra", "*", "%"]) expect(finds(untagged, { q })).toBe(false);
  expect(finds(monstera, { q: "m%a" })).toBe(false);
});

test("a tag is compared exactly, and the empty tag is a tag", () => {
  expect(finds(monstera, { tag: "Indoor" })).toBe(true);
  expect(finds(monstera, { tag: "indoor" })).toBe(false);
  expect(finds(untagged, { tag: "" })).toBe(false);
  expect(finds({ ...monstera, tag: "" }, { tag: "" })).toBe(true);
});

test("an empty part is no filter, and a filter of nothing is open", () => {
  expect(finds(untagged, { q: "" })).toBe(true);
  expect(plantFilter({ q: "", tag: undefined }).open).toBe(true);
  expect(plantFilter({ q: "", tag: "" }).open).toBe(false);
});

test("what no plant can hold closes the filter", () => {
  for (const text of ["\0", "a\ud800"]) {
    expect(plantFilter({ q: text, tag: undefined }).closed).toBe(true);
    expect(plantFilter({ q: undefined, tag: text }).closed).toBe(true);
  }
  expect(plantFilter({ q: "🌵", tag: "🌵" }).closed).toBe(false);
});
