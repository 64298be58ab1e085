import { expect, test } from "bun:test";
import { retried } from "./retried.ts";

const busy = new Error("busy");
const isBusy = (error: unknown) => error === busy;

/** Fails with each error in turn, and then gives the number of attempts. */
function failing(...errors: unknown[]) {
  let attempts = 0;
  return () => {
    attempts++;
    if (attempts <= errors.length) throw errors[attempts - 1];
    return attempts;
  };
}

test("what fails because others are at work is attempted again until it succeeds", async () => {
  expect(await retried(failing(busy, busy), isBusy, { delayMs: 1, msMax: 3_600_000 })).toBe(3);
});

test("any other error is thrown at once", async () => {
  const attempt = failing(new Error("broken"), busy);
  await expect(retried(attempt, isBusy, { delayMs: 1, msMax: 1000 })).rejects.toThrow("broken");
  expect(() => attempt()).toThrow("busy");
});

test("the last error is thrown when the time is over", async () => {
  const start = performance.now();
  await expect(retried(failing(...Array(1000).fill(busy)), isBusy, { delayMs: 2, msMax: 20 })).rejects.toThrow("busy");
  expect(performance.now() - start).toBeGreaterThanOrEqual(20);
});
