import { beforeEach, describe, expect, test } from "bun:test";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import { SpanQueue } from "./span-queue.ts";

let sent: number[];
let isAway: boolean;
let closed: number;
let failures: unknown[];
let queue: SpanQueue;
beforeEach(() => {
  [sent, isAway, closed, failures] = [[], false, 0, []];
  const exporter: SpanExporter = {
    export(spans, done) {
      sent.push(spans.length);
      done(isAway ? { code: 1, error: new Error("connection refused") } : { code: 0 });
    },
    async shutdown() {
      closed++;
    },
  };
  queue = new SpanQueue(
    exporter,
    { failed: (_, error) => void failures.push(error) },
    "http://collector:4318/v1/traces",
  );
});

const span = { name: "POST create" } as Partial<ReadableSpan> as ReadableSpan;
function end(count: number): void {
  for (let index = 0; index < count; index++) queue.onEnd(span);
}

describe("spans on their way to the collector", () => {
  test("are sent in pieces of at most 512, each once", async () => {
    end(1100);
    await queue.forceFlush();
    await queue.forceFlush();
    expect([sent, queue.dropped]).toEqual([[512, 512, 76], 0]);
  });

  test("are bounded: what finds no room is counted", async () => {
    end(3000);
    expect(queue.dropped).toBe(3000 - 2048);
    await queue.forceFlush();
    expect(sent.reduce((sum, count) => sum + count)).toBe(2048);
  });

  test("are lost where the collector is away, which is counted and reported, and tried again later", async () => {
    isAway = true;
    end(1100);
    await queue.forceFlush();
    expect([sent, queue.dropped]).toEqual([[512], 512]);
    const told = "Error: The collector at http://collector:4318/v1/traces took no spans: connection refused";
    expect(failures.map(String)).toEqual([told]);
    isAway = false;
    await queue.forceFlush();
    expect([sent, queue.dropped]).toEqual([[512, 512, 76], 512]);
  });

  test("are sent once more at the stop, which a collector that is away does not hold up", async () => {
    end(10);
    await queue.job.finish?.();
    expect([sent, closed]).toEqual([[10], 1]);
    isAway = true;
    end(10);
    await queue.job.run({ now: 0, signal: new AbortController().signal });
    end(10);
    await queue.shutdown();
    expect([sent, closed]).toEqual([[10, 10], 2]);
  });
});
