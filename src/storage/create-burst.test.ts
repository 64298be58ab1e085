import { beforeEach, expect, test } from "bun:test";
import { CreateBurst } from "./create-burst.ts";

let queued: number;
let nowMs: number;
let burst: CreateBurst;

beforeEach(() => {
  queued = nowMs = 0;
  burst = new CreateBurst(
    () => queued,
    () => nowMs,
  );
});

/** Lets time pass, in which plants are created at this rate, and says how often work had to wait. */
function pass(seconds: number, rowsPerSecond: number): boolean[] {
  return Array.from({ length: seconds * 4 }, () => {
    nowMs += 250;
    queued += rowsPerSecond / 4;
    return burst.mustWait();
  });
}

test("work waits for a burst of creates, and goes on as soon as it is over", () => {
  expect(pass(3, 20_000)).not.toContain(false);
  expect(pass(1, 1000)).not.toContain(true);
});

test("work does not wait for creates that come one by one", () => {
  expect(pass(60, 1990)).not.toContain(true);
});

test("work waits ten seconds at most for a burst that does not end, and once", () => {
  const waited = pass(60, 20_000);
  expect(waited.indexOf(false)).toBe(40);
  expect(waited.slice(40)).not.toContain(true);
});

test("the next burst is waited for again", () => {
  pass(60, 20_000);
  pass(1, 0);
  expect(pass(3, 20_000)).not.toContain(false);
});

test("a rate is not measured over a moment too short to tell", () => {
  queued += 1000;
  nowMs += 99;
  expect(burst.mustWait()).toBe(false);
  nowMs += 1;
  expect(burst.mustWait()).toBe(true);
});

test("the time for some rows follows from the rate, and never ends without creates", () => {
  pass(1, 1280);
  expect(burst.msFor(128)).toBe(100);
  pass(1, 0);
  expect(burst.msFor(128)).toBe(Number.POSITIVE_INFINITY);
});
