import { expect, test } from "bun:test";
import { backoffMs } from "./backoff.ts";

test("the bound of the wait doubles with each failure, up to ten seconds", () => {
  const bounds = [1, 2, 3, 4, 5, 6, 7, 8, 60, 5000].map((triesFailed) => backoffMs(triesFailed, 1));
  expect(bounds).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, 10_000]);
});

test("the wait is anywhere between nothing and its bound", () => {
  expect([0, 0.25, 1].map((random) => backoffMs(3, random))).toEqual([0, 200, 800]);
});

test("what the service asks for is waited for in full, with the random part on top", () => {
  expect(backoffMs(1, 0, 5000)).toBe(5000);
  expect(backoffMs(1, 0.5, 5000)).toBe(5100);
});
