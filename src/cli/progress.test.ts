import { expect, test } from "bun:test";
import { progressText } from "./progress.ts";

const HALF = { items: 450_000, bytes: 50, bytesTotal: 100, elapsedMs: 10_000 };

test.each([
  [HALF, "[============            ] 50 %  450,000 plants  45,000/s  10 s left"],
  [{ ...HALF, bytes: 0.1 }, "[                        ] 0 %  450,000 plants  45,000/s  2 h 46 min left"],
  [{ ...HALF, bytes: 500 }, "[========================] 100 %  450,000 plants  45,000/s  0 s left"],
  [{ ...HALF, items: 0, bytes: 0, elapsedMs: 0 }, "[                        ] 0 %  0 plants  0/s"],
  [{ ...HALF, bytesTotal: undefined, elapsedMs: 61_000 }, "450,000 plants  7,377/s  1 min 1 s"],
])("progress shows the share done, the items, their rate, and the time left where it is known: %#", (done, text) => {
  expect(progressText(done, "plant")).toBe(text);
});
