import { expect, test } from "bun:test";
import { limitReached, MemoryCounts } from "./throttle.ts";

const LIMIT = { name: "test", max: 2, windowSeconds: 60 };

test("a subject has no room beyond its limit, another has, and the next window begins anew", () => {
  const counts = new MemoryCounts();
  const added = (subject: string, by: number, now: number) => counts.add(LIMIT, subject, by, now).isAdded;
  expect([added("a", 1, 0), added("a", 2, 1), added("a", 1, 2), added("a", 1, 3)]).toEqual([true, false, true, false]);
  expect(added("b", 2, 3)).toBe(true);
  expect([added("a", 1, 59_999), added("a", 1, 60_000)]).toEqual([false, true]);
  expect(counts.read(LIMIT, "a", 60_000)).toEqual({ count: 1, endsAt: 120_000 });
});

test("a refusal says when to come back, in its text and its headers", () => {
  const { message, detail } = limitReached({ ...LIMIT, refusal: "Too many requests" }, 60_000, 0);
  expect(message).toBe("Too many requests; try again in 60 s");
  expect(detail.headers).toEqual({
    "Retry-After": "60",
    "RateLimit-Policy": '"test";q=2;w=60',
    RateLimit: '"test";r=0;t=60',
  });
});

test("the wait that a refusal names is at most the window, which another node may have begun a moment later", () => {
  const { detail } = limitReached({ ...LIMIT, windowSeconds: 1 }, 1300, 0);
  expect(detail.headers).toMatchObject({ "Retry-After": "1", RateLimit: '"test";r=0;t=1' });
});
