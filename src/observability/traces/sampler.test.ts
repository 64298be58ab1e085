import { expect, test } from "bun:test";
import { sampler } from "./sampler.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = { traceId: TRACE, spanId: "00f067aa0ba902b7" };

test("the caller's decision stands, whatever part of the others is traced", () => {
  const span = sampler(0)({ ...CALLER, isSampled: true });
  expect(span).toMatchObject({ traceId: TRACE, isSampled: true, batches: [] });
  expect(span?.spanId).not.toBe(CALLER.spanId);
  expect(sampler(1)({ ...CALLER, isSampled: false })).toBeUndefined();
});

test("of requests without a trace the given part starts one, each with ids of its own", () => {
  const decided = Array.from({ length: 4000 }, () => sampler(0.25)(undefined));
  const spans = decided.filter((span) => span !== undefined);
  expect(spans.length).toBeGreaterThan(800);
  expect(spans.length).toBeLessThan(1200);
  for (const { traceId, spanId } of spans) expect(`${traceId} ${spanId}`).toMatch(/^[\da-f]{32} [\da-f]{16}$/);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(spans.length);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});
