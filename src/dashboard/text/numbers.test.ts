import { expect, test } from "bun:test";
import { counted, formatBytes, formatDuration, formatShare } from "./numbers.ts";

test.each([
  [undefined, "–"],
  [null, "–"],
  [0, "0 ms"],
  [0.84, "0.8 ms"],
  [3, "3 ms"],
  [9.94, "9.9 ms"],
  [9.97, "10 ms"],
  [12.4, "12 ms"],
  [999.4, "999 ms"],
  [999.6, "1.0 s"],
  [1234, "1.2 s"],
  [60_000, "1 minute"],
  [179_800, "3 minutes"],
  [7_200_000, "2 hours"],
  [172_800_000, "2 days"],
])("%p ms is shown as %s", (ms, shown) => {
  expect(formatDuration(ms)).toBe(shown);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1_550, "1.6 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1 MB"],
  [1_000_000, "1 MB"],
  [5_000_000_000_000, "5,000 GB"],
])("%d bytes are shown as %s", (bytes, shown) => {
  expect(formatBytes(bytes)).toBe(shown);
});

test("a count has its noun in the singular for one alone", () => {
  expect([0, 1, 2, 1000].map((count) => counted(count, "plant"))).toEqual([
    "0 plants",
    "1 plant",
    "2 plants",
    "1,000 plants",
  ]);
});

test("a share has one digit after the point at most", () => {
  expect([0, 0.0512, 0.5, 1].map(formatShare)).toEqual(["0%", "5.1%", "50%", "100%"]);
});
