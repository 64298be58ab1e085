import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UsageError } from "./report.ts";
import { wholeNumber } from "./whole-number.ts";

describe("the number of an option", () => {
  const parse = wholeNumber("--limit", { min: 1, max: 1000 });

  test("is taken within its bounds, and refused beyond them with both", () => {
    fc.assert(
      fc.property(fc.integer({ min: -2000, max: 2000 }), (number) => {
        if (number >= 1 && number <= 1000) expect(parse(String(number))).toBe(number);
        else expect(() => parse(String(number))).toThrow("--limit must be a whole number from 1 to 1000");
      }),
    );
  });

  test.each(["", " ", "x", "1.5", "1e2", "0x10", "007", "+5", " 5", "5 ", "Infinity", "1_0", "٣"])(
    "is wrong usage as %j, which is repeated",
    (text) => {
      expect(() => parse(text)).toThrow(UsageError);
      expect(() => parse(text)).toThrow(`and is ${JSON.stringify(text)}`);
    },
  );

  test("without an upper bound may be as large as a number that is exact", () => {
    const unbounded = wholeNumber("--limit", { min: 1 });
    expect(unbounded("9007199254740991")).toBe(Number.MAX_SAFE_INTEGER);
    for (const text of ["0", "9007199254740992", "99999999999999999999"]) {
      expect(() => unbounded(text)).toThrow(`--limit must be a whole number of at least 1, and is "${text}"`);
    }
  });
});
