import { expect, test } from "bun:test";
import { parseDuration } from "./duration.ts";

test.each([
  ["0s", 0],
  ["30m", 30 * 60_000],
  ["7d", 7 * 86_400_000],
  ["2w", 14 * 86_400_000],
  ["2592000s", 30 * 86_400_000],
])("%s is a duration", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "h", "0", "1", "1.5h", "-1h", "1 h", "1d ", "1H", "01h", "10000000h", "1hh", "1mo", "1y"])(
  "%j is none",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
