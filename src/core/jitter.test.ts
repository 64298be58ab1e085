import { expect, test } from "bun:test";
import { jittered } from "./jitter.ts";

test("a wait is spread evenly to both sides of its length", () => {
  expect([0, 0.5, 1].map((random) => jittered(100, random))).toEqual([50, 100, 150]);
  expect([0, 0.5, 1].map((random) => jittered(100, random, 0.25))).toEqual([75, 100, 125]);
});
