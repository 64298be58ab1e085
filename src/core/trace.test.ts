import { expect, test } from "bun:test";
import { readTraceParent } from "./trace.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("the trace, the span and the sampled flag are read", () => {
  expect(readTraceParent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(readTraceParent(`00-${TRACE}-${SPAN}-00`)?.isSampled).toBe(false);
  expect(readTraceParent(`cc-${TRACE}-${SPAN}-03-what-comes-later`)?.isSampled).toBe(true);
});

test.each([
  "",
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
])("%j is none", (header) => {
  expect(readTraceParent(header)).toBeUndefined();
});
