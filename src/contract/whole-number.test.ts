import { expect, test } from "bun:test";
import fc from "fast-check";
import { readWholeNumber } from "./whole-number.ts";

const ANY = { min: 0, max: Number.MAX_SAFE_INTEGER };

test("a whole number is read from its digits within the bounds", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), fc.maxSafeNat(), (number, min, max) => {
      const within = number >= min && number <= max;
      expect(readWholeNumber(String(number), { min, max })).toBe(within ? number : undefined);
    }),
  );
  expect(readWholeNumber("9007199254740991", ANY)).toBe(Number.MAX_SAFE_INTEGER);
});

const NONE = ["", " ", "x", "-1", "+5", "007", "1.5", "5.0", "1e2", "0x10", " 5", "5 ", "NaN", "Infinity", "1_0", "٣"];
const TOO_LARGE = ["9007199254740992", "9007199254740993", "99999999999999999999"];

test.each([...NONE, ...TOO_LARGE])("%j is no whole number, or more than a double holds", (text) => {
  expect(readWholeNumber(text, ANY)).toBeUndefined();
});
