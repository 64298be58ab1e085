import { expect, test } from "bun:test";
import { LATENCY_BUCKETS, latencyBound, latencyBucket, latencyQuantile } from "./latency.ts";

test("a time lies at or below its bucket's bound, and above the one before", () => {
  for (const ms of [0.2, 1, 1.7, 12, 99.9, 250, 4000]) {
    const bucket = latencyBucket(ms);
    expect(latencyBound(bucket)).toBeGreaterThanOrEqual(ms);
    expect(latencyBound(bucket - 1)).toBeLessThan(ms);
  }
  expect([latencyBucket(0), latencyBucket(0.01), latencyBucket(1e9)]).toEqual([0, 0, LATENCY_BUCKETS - 1]);
});

test("quantiles are those of all counts together; none without counts", () => {
  const counts: [number, number][] = [
    [30, 1],
    [latencyBucket(2), 98],
    [latencyBucket(2), 1],
  ];
  expect(latencyQuantile(counts, 0.5)).toBe(2);
  expect(latencyQuantile(counts, 1)).toBe(128);
  expect(latencyQuantile([], 0.5)).toBeNull();
});
