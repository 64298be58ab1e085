import { expect, test } from "bun:test";
import { randomCharacters } from "./random-characters.ts";

test("random characters are letters and digits, as many as asked for", () => {
  expect(randomCharacters(0)).toBe("");
  expect(randomCharacters(500)).toMatch(/^[0-9A-Za-z]{500}$/);
});

test("each of the 62 is equally likely", () => {
  const counts = new Map<string, number>();
  for (const character of randomCharacters(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Seven standard deviations to each side of the mean of 1,000.
  for (const count of counts.values()) expect(count).toBeWithin(780, 1221);
});
