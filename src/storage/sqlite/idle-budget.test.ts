import { beforeEach, expect, test } from "bun:test";
import { IdleBudget } from "./idle-budget.ts";

let nowMs: number;
let processorMs: number;
let budget: IdleBudget;

beforeEach(() => {
  nowMs = processorMs = 0;
  budget = new IdleBudget({ nowMs: () => nowMs, processorMs: () => processorMs });
});

/** Lets time pass, in part of which the process computes. */
function pass(ms: number, busyMs = 0): void {
  nowMs += ms;
  processorMs += busyMs;
}

test("an idle process has half of its time to spare, and a busy one next to nothing", () => {
  pass(100);
  expect(budget.share()).toBe(0.5);
  pass(100, 40);
  expect(budget.share()).toBeCloseTo(0.3);
  pass(100, 100);
  expect(budget.share()).toBe(0.02);
});

test("work that can wait does not count as time that others need", () => {
  pass(100, 100);
  budget.worked(100);
  expect(budget.share()).toBe(0.5);
});

test("late timers tell that there is no time to spare, but only while others write", () => {
  budget.late(5);
  pass(100);
  expect(budget.share()).toBe(0.5);
  budget.late(5);
  budget.wrote();
  pass(100);
  expect(budget.share()).toBe(0.02);
  pass(100);
  expect(budget.share()).toBe(0.5);
});

test("until it was measured long enough, next to nothing is to spare", () => {
  pass(99);
  expect(budget.share()).toBe(0.02);
});
