import { expect, test } from "bun:test";
import { idText } from "./plant-record.ts";

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
