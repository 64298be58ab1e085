/** The ids of a span in lower-case hexadecimal: 32 digits for the trace and 16 for the span. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A position in a trace, as given by `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header). */
export interface TraceParent extends SpanIds {
  readonly isSampled: boolean;
}

/** The span of a traced request. Its ids are known while the request runs. */
export interface RequestSpan extends TraceParent {
  /** The spans of the transactions that held its writes. */
  readonly batches: SpanIds[];
}

/** Decides, from the caller's trace, whether a request is traced, and returns its span if so. */
export type Sampler = (caller: TraceParent | undefined) => RequestSpan | undefined;

export interface AttemptSpan extends SpanIds {
  /** The span that caused the event; undefined if it is unknown. */
  readonly parentSpanId: string | undefined;
}

export function traceParentText({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);

/** Undefined for a header that is missing or not valid. A version newer than 00 may have more parts. */
export function readTraceParent(header: string | null): TraceParent | undefined {
  const [, version, traceId = NO_TRACE, spanId = NO_SPAN, flags = "00", more] = TRACEPARENT.exec(header ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Made from a random UUID, whose fixed bits keep the id from being all zeros, which is invalid. */
export function newTraceId(random: string): string {
  return random.replaceAll("-", "");
}

export function newSpanId(random: string): string {
  return newTraceId(random).slice(16);
}
