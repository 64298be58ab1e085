import { expect, test } from "bun:test";
import fc from "fast-check";
import { plantFilter } from "#core/plant-filter.ts";
import { askedTerms, INDEXED_NAME_LENGTH_MAX, searchExpression, searchTerms } from "./search-terms.ts";

const asked = (account: number, q?: string, tag?: string) => askedTerms(account, plantFilter({ q, tag }));

test("every term is one trigram", () => {
  fc.assert(
    fc.property(fc.nat(), fc.string({ unit: "grapheme" }), fc.string(), (account, q, tag) => {
      const terms = asked(account, q.toWellFormed(), tag.toWellFormed());
      const all = [terms?.scope, terms?.longName, ...(terms?.trigrams ?? [])].join(" AND ");
      for (const [, term = ""] of all.matchAll(/"((?:[^"]|"")*)"/gu))
        expect([...term.replaceAll('""', '"')]).toHaveLength(3);
    }),
  );
});

test("accounts, their tags and their long names never share a term", () => {
  const account = searchTerms(1, "x".repeat(INDEXED_NAME_LENGTH_MAX + 1), "tag");
  const other = searchTerms(2, "x".repeat(INDEXED_NAME_LENGTH_MAX + 1), "tag");
  const terms = [account.account, account.name, account.tag, other.account, other.name, other.tag];
  expect(new Set(terms).size).toBe(6);
});

test("a part of one or two characters is not for the index, unless a tag is asked for too", () => {
  for (const q of ["a", "ab", "🌵", "🌵🌵"]) expect(asked(1, q)).toBeUndefined();
  expect(asked(1, "🌵🌵🌵")?.trigrams).toEqual(['"🌵🌵🌵"']);
  expect(asked(1, "a", "tag")).toEqual(expect.objectContaining({ trigrams: [] }));
});

test("few trigrams are asked for of a long part", () => {
  const long = asked(1, Array.from({ length: 5000 }, (_, at) => String.fromCharCode(0x4e00 + at)).join(""));
  expect(long?.trigrams.length).toBeLessThanOrEqual(12);
});

test("what the index is asked quotes whatever a part holds, and adds long names where they might be left out", () => {
  const terms = asked(3, '"OR')!;
  expect(searchExpression(terms, terms.trigrams)).toBe(`("""or") OR ${terms.longName}`);
  expect(searchExpression(terms, [terms.scope])).toBe(terms.scope);
});

test("a word with an umlaut is asked for by what its forms share, or else by either", () => {
  expect(asked(1, "Glück")?.trigrams).toEqual(['"glu"']);
  expect(asked(1, "süß")?.trigrams).toEqual(['(("sus" AND "uss") OR ("sue" AND "ues" AND "ess"))']);
  expect(asked(1, "öl")).toBeUndefined();
});
