import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { Deadline, unlessAborted, wait } from "./deadline.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { ItemStream, itemsOf } from "./stream.ts";

const URL = "https://plants.example";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe("the time limit of a try", () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31])("may be none: %p ms", (ms) => {
    const deadline = new Deadline(ms, URL);
    jest.advanceTimersByTime(2 ** 30);
    expect(deadline.signal.aborted).toBe(false);
    deadline.clear();
  });

  test("leaves nothing behind once it is cleared", () => {
    const caller = new AbortController();
    const deadline = new Deadline(1000, URL, caller.signal);
    deadline.clear();
    jest.advanceTimersByTime(5000);
    caller.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe("a failure of the network", () => {
  const reach = (error: unknown) => failure(new Deadline(5000, URL).reach(Promise.reject(error)));

  test.each([
    [
      Object.assign(new TypeError("fetch failed"), { cause: new Error("getaddrinfo ENOTFOUND") }),
      "getaddrinfo ENOTFOUND",
    ],
    [Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } }), "ECONNRESET"],
    [new Error("Unable to connect"), "Unable to connect"],
    ["a text", "a text"],
  ])("names the address and the reason (%#)", async (error, reason) => {
    expect(await reach(error)).toMatchObject({
      reason: "network",
      message: `Cannot reach https://plants.example: ${reason}`,
      cause: error,
    });
  });

  test("is not made of what the service said", async () => {
    const refused = new PlantstoreError("There is another plant", { error: 40901, status: 409 });
    const unreachable = new PlantstoreUnreachable("gateway", "busy");
    expect([await reach(refused), await reach(unreachable)]).toEqual([refused, unreachable]);
  });
});

describe("a stream of items", () => {
  let [begun, ended] = [0, 0];
  beforeEach(() => {
    [begun, ended] = [0, 0];
  });
  async function* items() {
    begun++;
    try {
      yield* [1, 2, 3];
    } finally {
      ended++;
    }
  }

  test("asks for nothing before it is read, and ends the request when the loop is left", async () => {
    const stream = new ItemStream(items);
    expect(begun).toBe(0);
    for await (const item of stream) {
      expect(item).toBe(1);
      break;
    }
    expect([begun, ended]).toEqual([1, 1]);
  });

  test("is the same as a ReadableStream, which asks for nothing before it is read, and is let go where it is cancelled", async () => {
    const unread = new ItemStream(items).readable();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect([unread.locked, begun]).toEqual([false, 0]);
    const read: number[] = [];
    for await (const item of itemsOf(new ItemStream(items).readable())) read.push(item);
    expect(read).toEqual([1, 2, 3]);
    const reader = new ItemStream(items).readable().getReader();
    await reader.read();
    await reader.cancel();
    expect(ended).toBe(2);
  });
});

describe("what is waited for", () => {
  // Of real time.
  beforeEach(() => void jest.useRealTimers());

  test("without an abort the promise's own outcome is given, and the signal keeps no listener", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [spyOn(signal, "addEventListener"), spyOn(signal, "removeEventListener")];
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
    expect(added).toHaveBeenCalledTimes(2);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  test("a wait beyond the longest time of a timer does not end at once", async () => {
    for (const ms of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      const controller = new AbortController();
      const waiting = wait(ms, controller.signal);
      setTimeout(() => controller.abort(new Error("still waiting")), 20);
      await expect(waiting).rejects.toThrow("still waiting");
    }
  });
});
