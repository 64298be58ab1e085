import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { idText } from "./plant-record.ts";

test("every int64 comes through as a string, to its last digit", () => {
  fc.assert(
    fc.property(fc.bigInt(INT64_MIN, INT64_MAX), (id) => {
      expect(BigInt(idText.parse(String(id)))).toBe(id);
    }),
  );
});

test("a number is taken where it cannot have been rounded", () => {
  expect(idText.parse(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  expect(idText.parse(-42)).toBe("-42");
});

test.each([
  [2 ** 53],
  [1e300],
  [5.5],
  ["05"],
  ["-0"],
  ["+5"],
  ["5.0"],
  ["9223372036854775808"],
  [""],
  [" 5"],
  [null],
  [["5"]],
])("%j is refused with the sentence that says how an id is written", (value) => {
  expect(() => idText.parse(value)).toThrow("An id must be a string with all its digits");
});
