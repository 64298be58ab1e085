import { describe, expect, test } from "bun:test";
import { inTime, unlessAborted } from "./deadline.ts";

const never = () => new Promise<never>(() => {});
const late = () => new Error("it took too long");

describe("a promise", () => {
  test("with a deadline resolves or rejects as it does, until that is over", async () => {
    expect(await inTime(Promise.resolve(7), 1000, late)).toBe(7);
    await expect(inTime(Promise.reject(new Error("its own")), 1000, late)).rejects.toThrow("its own");
    await expect(inTime(never(), 1, late)).rejects.toThrow("it took too long");
  });

  test("that may be left ends with the reason of the signal, also of one that is aborted already", async () => {
    const stopping = new AbortController();
    const left = unlessAborted(never(), stopping.signal);
    stopping.abort(new Error("the service stops"));
    await expect(left).rejects.toThrow("the service stops");
    expect(await unlessAborted(Promise.resolve(7), new AbortController().signal)).toBe(7);
    await expect(unlessAborted(never(), stopping.signal)).rejects.toThrow("the service stops");
  });

  test("that fails after its deadline disturbs nobody", async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(inTime(promise, 1, late)).rejects.toThrow("it took too long");
    reject(new Error("later"));
    await Bun.sleep(1);
  });
});
