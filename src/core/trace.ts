/** A span by its ids in lower-case hexadecimal, the trace's of 32 digits and its own of 16. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A position in a trace, as `traceparent` tells it (https://www.w3.org/TR/trace-context/#traceparent-header). */
export interface TraceParent extends SpanIds {
  readonly isSampled: boolean;
}

/** The span of a request that is traced. Its ids are known while the request runs. */
export interface RequestSpan extends TraceParent {
  /** The spans of the transactions that held its writes. */
  readonly batches: SpanIds[];
}

/** Decides from its caller's trace whether a request is traced, and gives its span if it is. */
export type Sampler = (caller: TraceParent | undefined) => RequestSpan | undefined;

/** The span of one attempt to deliver a webhook. */
export interface AttemptSpan extends SpanIds {
  /** The span that caused the event; undefined if it is not known. */
  readonly parentSpanId: string | undefined;
}

/** The value of the header `traceparent`. */
export function traceParentText({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** From a random UUID, whose fixed bits keep the id from being all zeros, which would be none. */
export function newTraceId(random: string): string {
  return random.replaceAll("-", "");
}

export function newSpanId(random: string): string {
  return newTraceId(random).slice(16);
}
