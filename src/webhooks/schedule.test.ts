import { expect, test } from "bun:test";
import { ATTEMPTS_MAX, isGivenUp, RETRY_AFTER_MS_MAX, retryDelayMs } from "./schedule.ts";

const HOUR_MS = 3_600_000;

test("ten attempts are spread over 75 hours and 35 minutes, give or take a fifth", () => {
  const sum = (random: number) =>
    Array.from({ length: ATTEMPTS_MAX - 1 }, (_, at) => retryDelayMs(at + 1, random)).reduce((a, b) => a + b);
  expect(ATTEMPTS_MAX).toBe(10);
  expect(sum(0.5) / HOUR_MS).toBeCloseTo(75 + 35 / 60 + 5 / 3600, 6);
  expect(sum(0) / sum(0.5)).toBeCloseTo(0.8, 6);
  expect(sum(1) / sum(0.5)).toBeCloseTo(1.2, 6);
});

test("Retry-After only makes it later, by a day at most", () => {
  expect(retryDelayMs(1, 0.5, 60_000)).toBe(60_000);
  expect(retryDelayMs(2, 0.5, 60_000)).toBe(300_000);
  expect(retryDelayMs(1, 0.5, 1e12)).toBe(RETRY_AFTER_MS_MAX);
});

test("an endpoint is given up after five days without a success", () => {
  expect(isGivenUp(0, 5 * 24 * HOUR_MS - 1)).toBe(false);
  expect(isGivenUp(0, 5 * 24 * HOUR_MS)).toBe(true);
});
