import { expect, test } from "bun:test";
import { bucketStarts } from "./usage.ts";

const [HOUR, DAY, MONTH] = [
  { ms: 60_000, count: 60 },
  { ms: 3_600_000, count: 24 },
  { ms: 86_400_000, count: 30 },
] as const;
const NOW = Date.parse("2026-03-10T22:45:30.500Z");

function written(starts: readonly number[]): string[] {
  return [starts[0] ?? 0, starts.at(-1) ?? 0].map((start) => new Date(start).toISOString());
}

test("an hour is cut into the last 60 minutes, a day into the last 24 hours", () => {
  expect(written(bucketStarts(HOUR, 0, NOW))).toEqual(["2026-03-10T21:46:00.000Z", "2026-03-10T22:45:00.000Z"]);
  expect(written(bucketStarts(DAY, 0, NOW))).toEqual(["2026-03-09T23:00:00.000Z", "2026-03-10T22:00:00.000Z"]);
});

test("a month is cut into days that start at midnight in the reader's zone, east and west of UTC", () => {
  expect(written(bucketStarts(MONTH, 0, NOW))).toEqual(["2026-02-09T00:00:00.000Z", "2026-03-10T00:00:00.000Z"]);
  expect(written(bucketStarts(MONTH, 120, NOW))[1]).toBe("2026-03-10T22:00:00.000Z");
  expect(written(bucketStarts(MONTH, -480, NOW))[1]).toBe("2026-03-10T08:00:00.000Z");
  expect(written(bucketStarts(MONTH, 330, NOW))[1]).toBe("2026-03-10T18:30:00.000Z");
});

test("buckets follow each other without a gap", () => {
  const starts = bucketStarts(MONTH, 345, NOW);
  expect(starts).toHaveLength(30);
  expect(new Set(starts.slice(1).map((start, at) => start - (starts[at] ?? 0)))).toEqual(new Set([86_400_000]));
});
