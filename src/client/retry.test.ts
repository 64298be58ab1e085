import { expect, test } from "bun:test";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { backoffMs, mayRetry } from "./retry.ts";

function refusal(error: number): PlantstoreError {
  return new PlantstoreError("Refused", { error, status: Math.floor(error / 100) });
}

// Other failures, and which of them leave a doubt, are shown with real answers (test/client-retries.test.ts).
const cases = [
  ["no answer in time", true, false, new PlantstoreUnreachable("timeout", "No answer")],
  ["an answer of something else", false, false, new PlantstoreUnreachable("answer", "No Plantstore")],
  ["a condition that does not hold", false, false, refusal(41201)],
  ["a caller's own error", false, false, new TypeError("Not a token")],
] as const;

test.each(cases)(
  "after %s a repeatable call is tried again: %p, another one: %p",
  (_, whenRepeatable, whenNot, error) => {
    expect(mayRetry(error, true)).toBe(whenRepeatable);
    expect(mayRetry(error, false)).toBe(whenNot);
  },
);

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
