import { expect, test } from "bun:test";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { leavesDoubt, mayRetry } from "./retry.ts";

function refusal(error: number): PlantstoreError {
  return new PlantstoreError("Refused", { error, status: Math.floor(error / 100) });
}

const cases = [
  ["a lost connection", true, false, new PlantstoreUnreachable("network", "Cannot reach it")],
  ["no answer in time", true, false, new PlantstoreUnreachable("timeout", "No answer")],
  ["a proxy's word that it has no answer", true, false, new PlantstoreUnreachable("gateway", "No answer")],
  ["the service's own 503", true, true, refusal(50301)],
  ["a rate limit", true, true, refusal(42901)],
  ["an answer of something else", false, false, new PlantstoreUnreachable("answer", "No Plantstore")],
  ["a fault of the service", false, false, refusal(50001)],
  ["a plant that is refused", false, false, refusal(40003)],
  ["an id that is taken", false, false, refusal(40901)],
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

test("what was refused by the service itself was not done; what got no answer may have been", () => {
  expect([refusal(50301), refusal(42901), refusal(40901)].some(leavesDoubt)).toBe(false);
  expect(leavesDoubt(new PlantstoreUnreachable("network", "Cut"))).toBe(true);
});
