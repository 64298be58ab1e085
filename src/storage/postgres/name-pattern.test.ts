import { expect, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import { foldCase } from "#core/fold.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { namePatterns } from "./name-pattern.ts";

test("the database finds a part of a name exactly where folding both finds it, whatever the characters", async () => {
  const client = new pg.Client(await newPostgresDatabase());
  await client.connect();
  const hard = fc.constantFrom(
    ..."aAkKsSßſςΣσİiIıéÉ.*+?^$\\[](){}|-:=<!\"'%_ \n\t🌵",
    "\u{212a}",
    "\u{1e9e}",
    "ǅ",
    "\u{1f}",
  );
  const character = fc.oneof(hard, fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
  const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join("").replaceAll("\0", "0"));
  const part = fc.array(character, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("").replaceAll("\0", "0"));
  await fc.assert(
    fc.asyncProperty(text, part, fc.boolean(), async (name, sought, within) => {
      const whole = within ? `${name}${sought.toUpperCase()}${name}` : name;
      const { rows } = await client.query("SELECT $1 ~ $2 AS found", [whole, namePatterns([foldCase(sought)])[0]]);
      expect(rows).toEqual([{ found: foldCase(whole).includes(foldCase(sought)) }]);
    }),
    { numRuns: 300 },
  );
  await client.end();
});

test("every character of Unicode finds itself, and whatever it folds to finds it", () => {
  for (let codePoint = 1; codePoint < 0x30000; codePoint++) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
    const character = String.fromCodePoint(codePoint);
    const [pattern] = namePatterns([foldCase(character)]);
    if (!pattern?.includes(character)) throw new Error(`${codePoint.toString(16)} is not in ${pattern}`);
  }
});

test("there are few patterns, and none is long", () => {
  const letters = (words: readonly string[]) => namePatterns(words).map((each) => each.split("[").length - 1);
  expect(letters(["fern", "to"])).toEqual([4, 2]);
  expect(letters(["x".repeat(60), "y".repeat(9)])).toEqual([60, 4]);
  expect(letters(Array.from("abcdefghi"))).toHaveLength(8);
});
