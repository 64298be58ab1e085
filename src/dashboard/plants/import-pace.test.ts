import { expect, test } from "bun:test";
import { importPace } from "./import-pace.ts";

const counts = { created: 6000, unchanged: 1000, failed: 3000, bytes: 250, lines: 10_000 };

test("the rate is of all records that were dealt with, and the time left goes by the bytes", () => {
  expect(importPace(counts, 1000, 2000)).toEqual({ recordsPerSecond: 5000, secondsLeft: 6, percent: 25 });
});

test("before the first answer there is neither rate nor time left", () => {
  const nothing = { created: 0, unchanged: 0, failed: 0, bytes: 0, lines: 0 };
  expect(importPace(nothing, 1000, 500)).toEqual({ recordsPerSecond: undefined, secondsLeft: undefined, percent: 0 });
});

test("an empty file is dealt with at once", () => {
  expect(importPace({ ...counts, bytes: 0 }, 0, 0).percent).toBe(100);
});
