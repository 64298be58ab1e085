import { expect, test } from "bun:test";
import { labelledBuckets, valueTicks } from "./chart-scale.ts";

test("the values beside a chart are round, begin at 0 and reach the largest one", () => {
  expect(valueTicks(0)).toEqual([0, 1]);
  expect(valueTicks(3)).toEqual([0, 1, 2, 3]);
  expect(valueTicks(17)).toEqual([0, 10, 20]);
  for (const max of [1, 7, 99, 1234, 50_002, 999_999]) {
    const ticks = valueTicks(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(Number(ticks.at(-1))).toBeLessThan(2.5 * Math.max(max, 2));
  }
});

test("labels stand at round local times, evenly, and no more of them than fit", () => {
  const first = new Date(2026, 2, 10, 9, 46).getTime();
  const hour = Array.from({ length: 60 }, (_, index) => first + index * 60_000);
  const labelled = labelledBuckets(hour, 7);
  expect(labelled.map((index) => new Date(hour[index] ?? 0).getMinutes())).toEqual([50, 0, 10, 20, 30, 40]);
  const day = Array.from({ length: 24 }, (_, index) => first + index * 3_600_000 + 14 * 60_000);
  expect(labelledBuckets(day, 8).map((index) => new Date(day[index] ?? 0).getHours() % 3)).toEqual(Array(8).fill(0));
  const month = Array.from({ length: 30 }, (_, index) => first + index * 86_400_000);
  expect(labelledBuckets(month, 6)).toEqual([0, 5, 10, 15, 20, 25]);
});
