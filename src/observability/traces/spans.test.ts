import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { newSpanId, newTraceId, type RequestSpan } from "#core/trace.ts";
import { Collector } from "#test/support/collector.ts";
import { Spans } from "./spans.ts";

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
