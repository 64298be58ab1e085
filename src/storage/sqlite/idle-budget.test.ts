import { expect, test } from "bun:test";
import { IdleBudget } from "./idle-budget.ts";

test("work that can wait gets half of the time that the process does not need, and next to none while writes are late", () => {
  let [nowMs, processorMs] = [0, 0];
  const budget = new IdleBudget({ nowMs: () => nowMs, processorMs: () => processorMs });
  const shareAfter = (ms: number, busyMs: number) => {
    nowMs += ms;
    processorMs += busyMs;
    return budget.share();
  };
  expect(shareAfter(99, 0)).toBe(0.02);
  expect(shareAfter(1, 0)).toBe(0.5);
  expect(shareAfter(100, 40)).toBeCloseTo(0.3);
  expect(shareAfter(100, 100)).toBe(0.02);
  budget.worked(100);
  expect(shareAfter(100, 100)).toBe(0.5);
  budget.late(5);
  expect(shareAfter(100, 0)).toBe(0.5);
  budget.late(5);
  budget.wrote();
  expect(shareAfter(100, 0)).toBe(0.02);
});
