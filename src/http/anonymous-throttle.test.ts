import { expect, test } from "bun:test";
import { AnonymousThrottle } from "./anonymous-throttle.ts";

function delays(throttle: AnonymousThrottle, count: number, endedAt: number): number[] {
  return Array.from({ length: count }, () => throttle.delayMs(endedAt));
}

test("the first 500 answers of a second go at once, further ones wait, and the next second begins anew", () => {
  const throttle = new AnonymousThrottle();
  const first = delays(throttle, 510, 5_999);
  expect(first.slice(0, 500).every((delay) => delay === 0)).toBe(true);
  expect(first.slice(500)).toEqual(Array(10).fill(200));
  expect(delays(throttle, 500, 6_999).every((delay) => delay === 0)).toBe(true);
});

test("what is held back is sent, and too many are not held", async () => {
  const throttle = new AnonymousThrottle();
  delays(throttle, 500, 0);
  let sent = 0;
  for (let i = 0; i < 10_000; i++) throttle.hold(1, () => sent++);
  expect([sent, throttle.delayMs(0)]).toEqual([0, 0]);
  await Bun.sleep(20);
  expect([sent, throttle.delayMs(0)]).toEqual([10_000, 200]);
});
