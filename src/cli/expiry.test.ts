import { expect, test } from "bun:test";
import { parseExpiry } from "./expiry.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["30s", 30_000],
  ["15m", 15 * 60_000],
  ["12h", 12 * 3_600_000],
  ["90d", 90 * 86_400_000],
  ["2w", 14 * 86_400_000],
  ["2026-11-21T12:00:01Z", 1000],
  ["2026-11-21T15:00:00+02:00", 3_600_000],
])("%s ends %d ms from now", (text, ms) => {
  expect(parseExpiry(text, NOW) - NOW).toBe(ms);
});

test.each(["", "1mo", "90", "1y", "-5d", "tomorrow", "2026-11-22", "2030-13-01T00:00:00Z"])(
  "%j is refused, and the message shows forms that would be right",
  (text) => {
    expect(() => parseExpiry(text, NOW)).toThrow(
      "must be a time such as 90s, 30m, 24h, 7d or 2w, or like 2030-01-31T12:00:00Z",
    );
  },
);

test.each(["2026-11-21T12:00:00Z", "0s"])("%s, which has passed, is refused", (text) => {
  expect(() => parseExpiry(text, NOW)).toThrow("must lie ahead");
});

test.each(["2027-02-29T00:00:00Z", "2027-04-31T12:00:00Z", "2027-01-01T24:00:00Z"])(
  "%s, which no calendar has, is refused and not taken for the day after",
  (text) => {
    expect(() => parseExpiry(text, NOW)).toThrow("must be a time such as");
  },
);

test("RFC 3339 in small letters, and with a space, is taken too", () => {
  expect(parseExpiry("2026-11-21t12:00:01z", NOW) - NOW).toBe(1000);
  expect(parseExpiry("2026-11-21 12:00:01.5Z", NOW) - NOW).toBe(1500);
});

test("the last time that can be written is taken, and a later one refused", () => {
  expect(new Date(parseExpiry("9999-12-31T23:59:59.999Z", NOW)).toISOString()).toBe("9999-12-31T23:59:59.999Z");
  expect(() => parseExpiry("9999999d", NOW)).toThrow("must lie before the year 10000, and 9999999d does not");
});
