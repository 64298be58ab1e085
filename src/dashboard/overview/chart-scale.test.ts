import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contract/timestamp.ts";
import { labelledBuckets, valueTicks } from "./chart-scale.ts";

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [17, [0, 10, 20]],
  [50_002, [0, 20_000, 40_000, 60_000]],
])("the values beside a chart to %d are few and round, begin at 0 and reach the largest one", (max, ticks) => {
  expect(valueTicks(max)).toEqual(ticks);
});

test("labels stand at round local times, evenly, and no more of them than fit", () => {
  const first = new Date(2026, 2, 10, 9, 46).getTime();
  const buckets = (count: number, ms: number, from = first) => Array.from({ length: count }, (_, at) => from + at * ms);
  const hour = buckets(60, MINUTE_MS);
  const labelled = labelledBuckets(hour, 7).map((index) => new Date(hour[index] ?? 0).getMinutes());
  expect(labelled).toEqual([50, 0, 10, 20, 30, 40]);
  const day = buckets(24, HOUR_MS, first + 14 * MINUTE_MS);
  expect(labelledBuckets(day, 8).map((index) => new Date(day[index] ?? 0).getHours() % 3)).toEqual(Array(8).fill(0));
  expect(labelledBuckets(buckets(30, DAY_MS), 6)).toEqual([0, 5, 10, 15, 20, 25]);
});
