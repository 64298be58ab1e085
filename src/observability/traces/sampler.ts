import { newSpanId, newTraceId, type Sampler } from "#core/trace.ts";

/** Traces the requests that their callers sample, and the given fraction, from 0 to 1, of those without a trace. */
export function sampler(ratio: number): Sampler {
  return (caller) => {
    if (caller ? !caller.isSampled : Math.random() >= ratio) return undefined;
    return {
      traceId: caller?.traceId ?? newTraceId(crypto.randomUUID()),
      spanId: newSpanId(crypto.randomUUID()),
      isSampled: true,
      batches: [],
    };
  };
}
