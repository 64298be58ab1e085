import type { IdGenerator } from "@opentelemetry/sdk-trace-base";
import type { SpanIds } from "#core/trace.ts";

/** Gives the next span the ids by which it is already known, since other spans refer to it before it ends. */
export class PresetIdGenerator implements IdGenerator {
  next: SpanIds = { traceId: "", spanId: "" };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}
