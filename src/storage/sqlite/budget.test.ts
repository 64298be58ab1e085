import { expect, test } from "bun:test";
import { Budget, sliceOf } from "./budget.ts";

function* rows(...lengths: number[]) {
  for (const length of lengths) yield { name: "x".repeat(length), tag: "t" };
  throw new Error("More rows were read than the slice has");
}

test.each([
  ["the row that spends the number of rows", rows(1, 1, 1), new Budget(3, 100), 3],
  ["the row that spends the text, tags too", rows(40, 40, 40), new Budget(10, 123), 3],
  ["its first row, even if that is over the budget", rows(1000), new Budget(10, 100), 1],
])("a slice ends with %s", (_, given, budget, length) => {
  expect(sliceOf(given, budget)).toHaveLength(length);
});

test("a slice ends with the last row that there is", () => {
  expect(sliceOf([{ name: "x", tag: null }], new Budget(10, 100))).toHaveLength(1);
});
