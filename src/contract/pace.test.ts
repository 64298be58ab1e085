import { expect, test } from "bun:test";
import { paceOf } from "./pace.ts";

test("nothing is left of an empty task, or of one that is longer than was said", () => {
  expect(paceOf({ items: 0, bytes: 0, bytesTotal: 0, elapsedMs: 0 }).share).toBe(1);
  expect(paceOf({ items: 9, bytes: 1200, bytesTotal: 1000, elapsedMs: 3000 })).toMatchObject({
    share: 1,
    secondsLeft: 0,
  });
});
