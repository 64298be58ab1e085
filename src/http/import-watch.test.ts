import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { Token } from "#core/token.ts";
import { BodyChunks } from "./body-chunks.ts";
import { ImportWatch } from "./import-watch.ts";
import { TokenCache } from "./token-cache.ts";

const TOKEN = { id: "tok_a", account: 1 } as Token;

let isKnown: boolean;
let outOfReach: boolean;
let service: { readonly tokens: TokenCache; draining: boolean };
let body: BodyChunks;
let watch: ImportWatch;

beforeEach(async () => {
  jest.useFakeTimers();
  isKnown = true;
  outOfReach = false;
  const findByHash = async () => {
    if (outOfReach) throw new Error("out of reach");
    return new Map(isKnown ? [[Buffer.from("a").toString("hex"), TOKEN]] : []);
  };
  const write = async () => {};
  const tokens = { findByHash, markUsed: write };
  const cache = new TokenCache({ tokens, usage: { add: write, addLatencies: write } }, (secret) => Buffer.from(secret));
  service = { tokens: cache, draining: false };
  // A body of which nothing ever comes.
  const raw = new Request("http://localhost/", { method: "POST", body: new ReadableStream() });
  body = new BodyChunks({ raw });
  const cached = await cache.lookUp("a");
  if (!cached) throw new Error("The token is known");
  watch = new ImportWatch(service, cached, body);
});
afterEach(() => {
  watch.close();
  jest.useRealTimers();
});

/** Lets time pass in steps, with the look-ups of each done. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 200) {
    jest.advanceTimersByTime(200);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

describe("an import", () => {
  test("is not ended by a store that is out of reach: its next transaction says so", async () => {
    outOfReach = true;
    await pass(5000);
    expect(watch.reason).toBeUndefined();
  });

  test("ends when nothing came for a minute", async () => {
    body[Symbol.asyncIterator]()
      .next()
      .catch(() => {});
    await pass(60_000);
    expect(watch.reason).toBeUndefined();
    await pass(400);
    expect(watch.reason).toBe("nothing more of it came for a minute");
    expect(() => watch.requireGoingOn()).toThrow(expect.objectContaining({ code: "request-timeout" }));
  });

  test("makes room for another account, at once while it waits for its sender", async () => {
    body[Symbol.asyncIterator]()
      .next()
      .catch(() => {});
    jest.advanceTimersByTime(200);
    expect([watch.evict(), watch.reason]).toEqual([true, "another account needed its place"]);
    expect(() => watch.requireGoingOn()).toThrow(expect.objectContaining({ code: "request-timeout" }));
  });

  test("is given two and a half seconds when the service stops, and keeps its first reason", async () => {
    service.draining = true;
    await pass(2400);
    expect(watch.reason).toBeUndefined();
    await pass(600);
    expect(watch.reason).toBe("the service is shutting down");
    isKnown = false;
    await pass(1000);
    expect(watch.reason).toBe("the service is shutting down");
  });

  test("is no longer looked after once it is over", async () => {
    watch.close();
    isKnown = false;
    await pass(2000);
    expect(watch.reason).toBeUndefined();
  });
});
