import { expect, test } from "bun:test";
import { parseExpiry } from "./typed-values.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["90d", 90 * 86_400_000],
  ["2026-11-21T12:00:01Z", 1000],
  ["2026-11-21T15:00:00+02:00", 3_600_000],
  // RFC 3339 allows small letters, and a space.
  ["2026-11-21t12:00:01z", 1000],
  ["2026-11-21 12:00:01.5Z", 1500],
])("%s ends %d ms from now", (text, ms) => {
  expect(parseExpiry(text, NOW) - NOW).toBe(ms);
});

test.each([
  ["", "must be a time such as 90s, 30m, 24h, 7d or 2w, or like 2030-01-31T12:00:00Z"],
  ["1mo", "must be a time such as"],
  ["2026-11-22", "must be a time such as"],
  // No calendar has it, and it is not taken for the day after.
  ["2027-02-29T00:00:00Z", "must be a time such as"],
  ["2027-01-01T24:00:00Z", "must be a time such as"],
  ["2026-11-21T12:00:00Z", "must lie ahead"],
  ["0s", "must lie ahead"],
  ["9999999d", "must lie before the year 10000, and 9999999d does not"],
])("%j is refused, and the message says what would be right", (text, problem) => {
  expect(() => parseExpiry(text, NOW)).toThrow(problem);
});

test("the last time that can be written is taken", () => {
  expect(new Date(parseExpiry("9999-12-31T23:59:59.999Z", NOW)).toISOString()).toBe("9999-12-31T23:59:59.999Z");
});
