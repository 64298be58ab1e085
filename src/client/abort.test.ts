import { expect, test } from "bun:test";
import { unlessAborted, wait } from "./deadline.ts";

const never = new Promise<never>(() => {});

test("a promise that never settles ends with the signal's reason, whether it aborts later or has already", async () => {
  const reason = new Error("left");
  const controller = new AbortController();
  const ended = unlessAborted(never, controller.signal);
  controller.abort(reason);
  await expect(ended).rejects.toBe(reason);
  await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("without an abort the promise's own outcome is given, and the signal keeps no listener", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--;
    remove(...given);
  };
  expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
  await expect(unlessAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
  expect(listeners).toBe(0);
});

test("a wait ends at once when its signal aborts", async () => {
  const controller = new AbortController();
  const start = performance.now();
  const waiting = wait(60_000, controller.signal);
  controller.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("a wait beyond the longest time of a timer does not end at once", async () => {
  for (const ms of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    const controller = new AbortController();
    const waiting = wait(ms, controller.signal);
    setTimeout(() => controller.abort(new Error("still waiting")), 20);
    await expect(waiting).rejects.toThrow("still waiting");
  }
});
