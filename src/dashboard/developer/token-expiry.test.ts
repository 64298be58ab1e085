import { expect, test } from "bun:test";
import { expiryTime } from "./token-expiry.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

test("an expiry of so many days is that many times 24 hours from now", () => {
  expect(expiryTime("7", "", NOW)).toBe("2026-03-08T12:00:00.000Z");
});

test("never is no expiry", () => {
  expect(expiryTime("never", "", NOW)).toBeNull();
});

test("a date means the end of that day in the reader's zone", () => {
  expect(expiryTime("date", "2026-03-05", NOW)).toBe(new Date("2026-03-05T23:59:59").toISOString());
});

test("a date that is missing, malformed or over is refused", () => {
  for (const date of ["", "soon", "2026-02-28"]) expect(() => expiryTime("date", date, NOW)).toThrow("in the future");
});
