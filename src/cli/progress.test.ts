import { expect, test } from "bun:test";
import { progressText } from "./progress.ts";

const HALF = { items: 450_000, bytes: 50, bytesTotal: 100, elapsedMs: 10_000 };

test("progress shows the share done, the items, their rate and the time left", () => {
  expect(progressText(HALF, "plant")).toBe("[============            ] 50 %  450,000 plants  45,000/s  10 s left");
});

test.each([
  [1, "990 s", "16 min 30 s left"],
  [0.1, "9990 s", "2 h 46 min left"],
  [99.99, "1 s", "1 s left"],
])("with %p %% done in 10 s, about %s are left", (bytes, _, left) => {
  expect(progressText({ ...HALF, bytes }, "plant")).toEndWith(left);
});

test("before anything is done no time is guessed, and more than all is all", () => {
  expect(progressText({ items: 0, bytes: 0, bytesTotal: 100, elapsedMs: 0 }, "plant")).toEndWith("0 %  0 plants  0/s");
  const beyond = progressText({ ...HALF, bytes: 500 }, "plant");
  expect(beyond).toBe("[========================] 100 %  450,000 plants  45,000/s  0 s left");
});

test("where nobody knows the end, the time that has passed is shown", () => {
  const endless = { ...HALF, bytesTotal: undefined, elapsedMs: 61_000 };
  expect(progressText(endless, "plant")).toBe("450,000 plants  7,377/s  1 min 1 s");
});
