import { expect, test } from "bun:test";
import { relativeTime } from "./relative-time.tsx";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test("a time is told in the largest unit that it fills, past and to come", () => {
  expect(relativeTime(NOW - 2 * MINUTE, NOW)).toBe("2 minutes ago");
  expect(relativeTime(NOW - 26 * 60 * MINUTE, NOW)).toBe("yesterday");
  expect(relativeTime(NOW + 12 * DAY - 20_000, NOW)).toBe("in 12 days");
  expect(relativeTime(NOW + 400 * DAY, NOW)).toBe("next year");
});

test("within a minute it is now", () => {
  expect(relativeTime(NOW - 59_000, NOW)).toBe("now");
});
