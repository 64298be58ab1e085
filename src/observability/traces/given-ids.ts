import type { IdGenerator } from "@opentelemetry/sdk-trace-base";
import type { SpanIds } from "#core/trace.ts";

/** Gives the next span the ids that it is known by already: others refer to it before it ends. */
export class GivenIds implements IdGenerator {
  next: SpanIds = { traceId: "", spanId: "" };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}
