import { expect, test } from "bun:test";
import { RequestThrottle } from "./request-throttle.ts";

test("a network is refused beyond its limit, another is not, and the next minute begins anew", async () => {
  const throttle = new RequestThrottle(2, 0);
  const outcome = (network: string, now: number) =>
    throttle.pass(network, now).then(
      () => "passed",
      ({ code }) => code,
    );
  expect([await outcome("a", 0), await outcome("a", 1), await outcome("a", 2)]).toEqual([
    "passed",
    "passed",
    "rate-limited",
  ]);
  expect(await outcome("b", 2)).toBe("passed");
  expect(await outcome("a", 60_001)).toBe("passed");
});

test("a refusal comes late and says when to come back", async () => {
  const throttle = new RequestThrottle(0, 50);
  const began = performance.now();
  const refusal = await throttle.pass("a", 0).catch((error: unknown) => error);
  expect(performance.now() - began).toBeGreaterThan(45);
  expect(refusal).toMatchObject({ code: "rate-limited", detail: { headers: { "Retry-After": "60" } } });
});
