import { expect, test } from "bun:test";
import { IdleBudget } from "./idle-budget.ts";

const MEASURED_MS = 120;

function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("an idle process has half of its time to spare", async () => {
  const spare = new IdleBudget();
  await Bun.sleep(MEASURED_MS);
  expect(spare.share()).toBeGreaterThan(0.3);
});

test("work that can wait does not count as time that others need", () => {
  const spare = new IdleBudget();
  compute(MEASURED_MS);
  spare.worked(MEASURED_MS);
  expect(spare.share()).toBeGreaterThan(0.3);
});

test("late timers tell that there is no time to spare, but only while others write", async () => {
  const spare = new IdleBudget();
  spare.late(5);
  await Bun.sleep(MEASURED_MS);
  expect(spare.share()).toBeGreaterThan(0.3);
  spare.late(5);
  spare.wrote();
  await Bun.sleep(MEASURED_MS);
  expect(spare.share()).toBe(0.02);
  await Bun.sleep(MEASURED_MS);
  expect(spare.share()).toBeGreaterThan(0.3);
});

test("until it has looked long enough, next to nothing is to spare", () => {
  expect(new IdleBudget().share()).toBe(0.02);
});
