import { expect, test } from "bun:test";
import { Budget, sliceOf } from "./budget.ts";

const rows = (...lengths: number[]) => lengths.map((length) => ({ name: "x".repeat(length), tag: null }));

test("a slice ends with the row that spends the budget, by number or by text", () => {
  expect(sliceOf(rows(1, 1, 1, 1), new Budget(3, 100))).toHaveLength(3);
  expect(sliceOf(rows(40, 40, 40, 40), new Budget(10, 100))).toHaveLength(3);
  expect(sliceOf(rows(1, 1), new Budget(10, 100))).toHaveLength(2);
});

test("a slice has a row even when one alone is over the budget", () => {
  expect(sliceOf(rows(1000, 1), new Budget(10, 100))).toHaveLength(1);
});

test("no more rows are taken than the slice has", () => {
  let taken = 0;
  function* counted() {
    for (const row of rows(1, 1, 1, 1)) {
      taken++;
      yield row;
    }
  }
  sliceOf(counted(), new Budget(2, 100));
  expect(taken).toBe(2);
});

test("tags count as text too", () => {
  const budget = new Budget(10, 10);
  expect(budget.spend({ name: "abc", tag: "defghi" })).toBe(true);
  expect(budget.spend({ name: "", tag: "j" })).toBe(false);
  expect(budget.spent).toBe(true);
});
