import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import { foldedForms } from "#core/fold.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { COMPOSED_NAME, namePatterns } from "./name-pattern.ts";

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(await newPostgresDatabase());
  await client.connect();
});
afterAll(() => client.end());

const USUAL = "aAäÄeEéoOöuUüsSßıİkxz9ЖжЁеΣσςé한국ᄒがかあह中🌵.*+?^$\\[](){}|-:=<!%_×–’'“\"\u{212a}æŒø";
const usual = fc.constantFrom(...USUAL);
const any = fc.oneof(
  usual,
  fc.constantFrom("\u{308}", "\u{301}", "\u{ad}"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
);

function textOf(character: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(character, { minLength: 1, maxLength }).map((parts) => parts.join("").replaceAll("\0", "0"));
}

/** The plants found by the database and by this process, by a part of the name as somebody else may type it. */
async function found(name: string, sought: string, within: boolean): Promise<[boolean, boolean]> {
  const whole = within ? `${name}${sought.normalize("NFD").toUpperCase()}${name}` : name;
  const filter = plantFilter({ q: sought, tag: undefined });
  const { rows } = await client.query(
    `SELECT (${COMPOSED_NAME}) ~ ALL ($2) AS found FROM unnest(ARRAY[$1]) AS given (name)`,
    [whole, namePatterns(filter.words)],
  );
  return [rows[0].found, passes(filter, { name: whole, tag: undefined })];
}

test("the database finds a part of a name wherever folding both finds it, whatever the characters", async () => {
  await fc.assert(
    fc.asyncProperty(textOf(any, 12), textOf(any, 3), fc.boolean(), async (name, sought, within) => {
      const [inDatabase, here] = await found(name, sought, within);
      if (here) expect(inDatabase).toBe(true);
    }),
    { numRuns: 400 },
  );
});

/** Characters that fold to one, in one way: the database may take the e of æ for the one before that of ö. */
const single = fc.constantFrom(...[...USUAL].filter((character) => foldedForms(character).join("").length === 1));
const marked = fc.oneof(single, fc.constantFrom("e\u{301}", "\u{ad}"));

test("of characters that fold to one it finds nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(textOf(marked, 8), textOf(single, 3), fc.boolean(), async (name, sought, within) => {
      const [inDatabase, here] = await found(name, sought, within);
      expect(inDatabase).toBe(here);
    }),
    { numRuns: 400 },
  );
});

test("every character of Unicode that may be a word finds itself in the database", async () => {
  const words = Array.from({ length: 0x1f000 - 1 }, (_, at) => String.fromCodePoint(at + 1)).filter(
    (character) => character.isWellFormed() && /^\P{Lo}$/u.test(character) && foldedForms(character)[0]?.trim(),
  );
  const patterns = words.map((word) => namePatterns(plantFilter({ q: word, tag: undefined }).words)[0] ?? "");
  const { rows } = await client.query(
    `SELECT name FROM unnest($1::text[], $2::text[]) AS given (name, pattern) WHERE (${COMPOSED_NAME}) !~ pattern`,
    [words, patterns],
  );
  expect(rows).toEqual([]);
});
