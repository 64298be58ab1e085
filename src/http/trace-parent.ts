import type { TraceParent } from "#core/trace.ts";

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** Undefined if there is none, or no valid one. */
export function traceOf({ headers }: Request): TraceParent | undefined {
  const header = headers.get("traceparent");
  return header === null ? undefined : readTraceParent(header);
}

/** A version newer than 00 may have more parts. */
export function readTraceParent(header: string): TraceParent | undefined {
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = "00", more] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
