import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { newSpanId, newTraceId, type RequestSpan } from "#core/trace.ts";
import { attributesOf, Collector } from "#test/support/collector.ts";
import { endedRequest } from "#test/support/ended-request.ts";
import { Spans } from "./spans.ts";

const SERVER = 2;
const ERROR = 2;

const collector = new Collector();
const spans = new Spans({
  url: `${collector.url}/v1/traces`,
  headers: { "x-key": "a key" },
  attributes: { "service.name": "plantstore" },
  observer: { failed: (_, error) => console.error(error) },
});
afterEach(() => {
  collector.spans.length = 0;
});
afterAll(async () => {
  await spans.queue.shutdown();
  await collector.stop();
});

const ids = () => ({ traceId: newTraceId(crypto.randomUUID()), spanId: newSpanId(crypto.randomUUID()) });
const requestSpan = (): RequestSpan => ({ ...ids(), isSampled: true, batches: [] });

async function sent() {
  await spans.queue.forceFlush();
  return collector.spans;
}

describe("the span of a request", () => {
  test("continues the caller's trace, with the ids that it had while it ran and the time that it took", async () => {
    const caller = { ...ids(), isSampled: true };
    const span = { ...requestSpan(), traceId: caller.traceId };
    const [before, endedAt, after] = [Date.now(), performance.now(), Date.now()];
    spans.requestEnded(
      endedRequest({ span, trace: caller, method: "GET", route: "read", status: 200, endedAt, durationMs: 250 }),
    );
    const [only, ...more] = await sent();
    expect(more).toEqual([]);
    expect(only).toMatchObject({ traceId: span.traceId, spanId: span.spanId, parentSpanId: caller.spanId });
    expect([only?.name, only?.kind, only?.status?.code ?? 0]).toEqual(["GET read", SERVER, 0]);
    const [start, end] = [only?.startTimeUnixNano, only?.endTimeUnixNano].map((nano) => Number(nano) / 1e6);
    expect((end ?? 0) - (start ?? 0)).toBeCloseTo(250, 0);
    expect(end).toBeWithin(before - 2000, after + 2000);
    expect(collector.requests.at(-1)?.headers.get("x-key")).toBe("a key");
    expect(attributesOf(collector.resources.at(-1))).toEqual({ "service.name": "plantstore" });
  });

  test("has the number of its refusal, and has failed only where the fault is the service's", async () => {
    for (const [status, errorNumber] of [
      [404, 40403],
      [503, 50301],
    ] as const) {
      spans.requestEnded(endedRequest({ span: requestSpan(), status, errorNumber }));
    }
    const told = (await sent()).map(({ attributes, status }) => [attributesOf(attributes)["error.type"], status?.code]);
    expect(told.map(([type, code]) => [type, code === ERROR])).toEqual([
      ["40403", false],
      ["50301", true],
    ]);
  });
});

describe("the span of a transaction", () => {
  test("of an import that writes many leaves the import with at most 128 links", async () => {
    const span = requestSpan();
    for (let at = 0; at < 200; at++) {
      spans.addBatch({ rows: 256, commitMs: 1, startedAt: performance.now(), spans: [span] });
    }
    expect(span.batches).toHaveLength(128);
    spans.addBatch({
      rows: 1,
      commitMs: 1,
      startedAt: performance.now(),
      spans: Array.from({ length: 300 }, requestSpan),
    });
    expect((await sent()).at(-1)?.links).toHaveLength(128);
  });
});
