import { expect, test } from "bun:test";
import { passwordLengthProblem } from "./account.ts";

test.each([
  [7, "must have 8 to 128 characters, and has 7"],
  [8, undefined],
  [128, undefined],
  [129, "must have 8 to 128 characters, and has 129"],
])("a password of %d characters: %p", (length, problem) => {
  expect(passwordLengthProblem("x".repeat(length))).toBe(problem);
});

test("characters are counted, and not the units in which they are stored", () => {
  expect(passwordLengthProblem("🌵".repeat(7))).toEndWith("has 7");
  expect(passwordLengthProblem("🌵".repeat(128))).toBeUndefined();
});
