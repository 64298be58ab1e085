import { expect, test } from "bun:test";
import { backoffMs, retryAfterMs } from "./backoff.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");

test("the bound of the wait doubles with each failure, up to ten seconds", () => {
  const bounds = [1, 2, 3, 4, 5, 6, 7, 8, 60, 5000].map((triesFailed) => backoffMs(triesFailed, 1));
  expect(bounds).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, 10_000]);
});

test("the wait is anywhere between nothing and its bound", () => {
  expect([0, 0.25, 1].map((random) => backoffMs(3, random))).toEqual([0, 200, 800]);
});

test("what the service asks for is waited for in full, with the random part on top", () => {
  expect(backoffMs(1, 0, 5000)).toBe(5000);
  expect(backoffMs(1, 0.5, 5000)).toBe(5100);
});

test.each([
  ["0", 0],
  ["7", 7000],
  [" 7 ", 7000],
  ["Sat, 21 Nov 2026 08:00:09 GMT", 9000],
  ["Sat, 21 Nov 2026 07:59:00 GMT", 0],
  ["soon", undefined],
  ["-1", undefined],
  ["", undefined],
])("Retry-After: %p is read as %p ms", (value, ms) => {
  expect(retryAfterMs(new Headers({ "Retry-After": value }), NOW)).toBe(ms);
});

test("a date is counted from the service's clock where that differs from ours", () => {
  const headers = { "Retry-After": "Sat, 21 Nov 2026 09:30:05 GMT", Date: "Sat, 21 Nov 2026 09:30:00 GMT" };
  expect(retryAfterMs(new Headers(headers), NOW)).toBe(5000);
});

test("no Retry-After asks for nothing", () => {
  expect(retryAfterMs(new Headers(), NOW)).toBeUndefined();
});
