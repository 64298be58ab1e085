import { expect, test } from "bun:test";
import { retryAfterMs } from "./headers.ts";

const NOW = Date.parse("2026-11-21T08:00:00Z");

test.each([
  ["0", 0],
  ["7", 7000],
  ["Sat, 21 Nov 2026 08:00:09 GMT", 9000],
  ["Sat, 21 Nov 2026 07:59:00 GMT", 0],
  ["Saturday, 21-Nov-26 08:00:09 GMT", 9000],
  ["Sat Nov 21 08:00:09 2026", 9000],
  ["Tue Dec  1 08:00:00 2026", 864_000_000],
  ["999999999999", 999_999_999_999_000],
  ["soon", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["2026-11-21T08:01:00Z", undefined],
  ["xGMT", undefined],
  ["", undefined],
])("Retry-After: %p is read as %p ms", (value, ms) => {
  expect(retryAfterMs(new Headers({ "Retry-After": value }), NOW)).toBe(ms);
});

test("a date is counted from the service's clock where that differs from ours", () => {
  const headers = { "Retry-After": "Sat, 21 Nov 2026 09:30:05 GMT", Date: "Sat, 21 Nov 2026 09:30:00 GMT" };
  expect(retryAfterMs(new Headers(headers), NOW)).toBe(5000);
});
