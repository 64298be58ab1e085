import { expect, test } from "bun:test";
import { paceOf } from "./pace.ts";

test("the rest takes as long in proportion as what is done took", () => {
  const pace = paceOf({ items: 10_000, bytes: 250, bytesTotal: 1000, elapsedMs: 2000 });
  expect(pace).toEqual({ itemsPerSecond: 5000, share: 0.25, secondsLeft: 6 });
});

test("nobody knows how long it takes before anything is done", () => {
  expect(paceOf({ items: 0, bytes: 0, bytesTotal: 1000, elapsedMs: 500 }).secondsLeft).toBeUndefined();
  expect(paceOf({ items: 5, bytes: 10, bytesTotal: 1000, elapsedMs: 0 }).secondsLeft).toBeUndefined();
});

test("nothing is left of an empty task, or of one that is longer than was said", () => {
  expect(paceOf({ items: 0, bytes: 0, bytesTotal: 0, elapsedMs: 0 }).share).toBe(1);
  expect(paceOf({ items: 9, bytes: 1200, bytesTotal: 1000, elapsedMs: 3000 })).toMatchObject({
    share: 1,
    secondsLeft: 0,
  });
});
