import { afterEach, describe, expect, jest, spyOn, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { BodyChunks, DISCARDED_BYTES_MAX } from "./body-chunks.ts";

afterEach(() => void jest.useRealTimers());

type Source = UnderlyingDefaultSource<Uint8Array>;

/** The body that the source gives, and how much of it was asked for. */
function bodyOf(source: Source, headers: Record<string, string> = {}): BodyChunks {
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  return new BodyChunks({ raw: new Request("http://localhost/", { method: "POST", body: stream, headers }) });
}

const endless = (size: number) => {
  const source = {
    pulled: 0,
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      source.pulled++;
      controller.enqueue(new Uint8Array(size));
    },
  };
  return source;
};

describe("a body", () => {
  test("may be missing", async () => {
    const chunks = new BodyChunks({ raw: new Request("http://localhost/") });
    for await (const _ of chunks) throw new Error("there is no chunk");
    expect(await chunks.discardRest()).toBe(true);
    expect(chunks.silentMs(performance.now())).toBe(0);
  });

  test("of which nothing is asked for stays unread, so that many refusals of it come late", async () => {
    const raw = new Request("http://localhost/", { method: "POST", body: "a body" });
    const chunks = new BodyChunks({ raw });
    await chunks.discardBeforeClose();
    expect(raw.bodyUsed).toBe(false);
    expect(await chunks.discardRest()).toBe(true);
    expect(raw.bodyUsed).toBe(true);
  });

  test("that breaks off is refused as no JSON, with its cause kept for the log", async () => {
    const cause = new Error("connection reset");
    const chunks = bodyOf({ pull: (it) => it.error(cause) });
    const next = chunks[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: "body-not-json", cause });
  });

  test("is silent only while its reader waits for it", async () => {
    let send = () => {};
    const chunks = bodyOf({
      pull: (it) => new Promise((resolve) => (send = () => resolve(it.enqueue(Uint8Array.of(1))))),
    });
    expect(chunks.silentMs(performance.now() + 5000)).toBe(0);
    const next = chunks[Symbol.asyncIterator]().next();
    expect(chunks.silentMs(performance.now() + 5001)).toBeGreaterThanOrEqual(5000);
    await Bun.sleep(0);
    send();
    await next;
    expect(chunks.silentMs(performance.now() + 5000)).toBe(0);
  });

  test("that is waited for ends with the failure of whoever interrupts it", async () => {
    const chunks = bodyOf({ pull: () => new Promise(() => {}) });
    const next = chunks[Symbol.asyncIterator]().next();
    chunks.interrupt(new Failure("request-timeout", "too slow"));
    await expect(next).rejects.toMatchObject({ code: "request-timeout" });
  });
});

describe("the rest of a body that is refused", () => {
  test("is read, so that the client sees the answer, but no more than 64 MiB of it", async () => {
    const source = endless(8 * 1024 * 1024);
    expect(await bodyOf(source).discardRest()).toBe(false);
    expect(source.pulled).toBe(DISCARDED_BYTES_MAX / (8 * 1024 * 1024));
  });

  test("is waited for while it comes, but not after two seconds of silence", async () => {
    const now = performance.now();
    jest.useFakeTimers();
    // Refused bodies are read on at a rate for all, whose clock must not be ahead of the other tests.
    const clock = spyOn(performance, "now").mockReturnValue(now);
    let send = () => {};
    const source: Source = {
      pull: (it) => new Promise((resolve) => (send = () => resolve(it.enqueue(Uint8Array.of(1))))),
    };
    let ended: boolean | undefined;
    const discarding = bodyOf(source).discardRest();
    void discarding.then((value) => (ended = value));
    for (let at = 0; at < 5; at++) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      jest.advanceTimersByTime(1999);
      send();
    }
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(ended).toBeUndefined();
    jest.advanceTimersByTime(2000);
    expect(await discarding).toBe(false);
    clock.mockRestore();
  });

  test.each([
    ["close", 1],
    ["keep-alive, Close", 1],
    ["keep-alive", 0],
  ])("is read before the answer on a connection that says %p: %p chunks", async (connection, chunks) => {
    const source = endless(DISCARDED_BYTES_MAX);
    await bodyOf(source, { Connection: connection }).discardBeforeClose();
    expect(source.pulled).toBe(chunks);
  });
});

test("refused bodies are read on at 128 MiB a second, all together", async () => {
  const start = performance.now();
  const bodies = [0, 1].map(() => {
    let left = 16;
    return bodyOf({ pull: (it) => (left-- > 0 ? it.enqueue(new Uint8Array(1024 * 1024)) : it.close()) });
  });
  expect(await Promise.all(bodies.map((body) => body.discardRest()))).toEqual([true, true]);
  expect(performance.now() - start).toBeGreaterThan(1000 * ((2 * 16 - 2) / 128));
});
