import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Observer } from "#core/observer.ts";
import type { EndedRequest } from "#core/request.ts";
import { masked } from "../masked.ts";
import { SpanQueue } from "./span-queue.ts";

/** With the attempts that the exporter makes meanwhile. A stop of the service waits for one sending at most. */
const SEND_MS_MAX = 3000;

export interface SpanOptions {
  /** The collector's address for spans. */
  readonly url: string;
  /** Sent with each request to the collector. */
  readonly headers: Record<string, string>;
  /** Of the service: its name, version and whatever the operator adds. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly observer: Pick<Observer, "failed">;
}

/** Makes spans of requests and sends them to a collector by OTLP over HTTP. Import it only where there is one: loading it takes 22 MB. */
export class RequestSpans {
  readonly queue: SpanQueue;
  readonly #tracer: Tracer;

  constructor({ url, headers, attributes, observer }: SpanOptions) {
    this.queue = new SpanQueue(new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MS_MAX }), observer);
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes(attributes),
      sampler: new AlwaysOnSampler(),
      spanProcessors: [this.queue],
    });
    this.#tracer = provider.getTracer("plantstore");
  }

  /** Adds the span of a request that is over. */
  add(request: EndedRequest): void {
    const { method, route, status, endedAt, durationMs, errorNumber } = request;
    const end = performance.timeOrigin + endedAt;
    const attributes = {
      "http.request.method": method,
      "http.response.status_code": status,
      "url.path": masked(request.path),
      "plantstore.request_id": request.id,
      "plantstore.route": route,
      ...(errorNumber === undefined ? {} : { "error.type": String(errorNumber) }),
    };
    const options = { kind: SpanKind.SERVER, startTime: end - durationMs, attributes };
    const span = this.#tracer.startSpan(`${method} ${route}`, options, parentOf(request));
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }
}

function parentOf({ trace: caller }: EndedRequest) {
  if (!caller) return ROOT_CONTEXT;
  const { traceId, spanId } = caller;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}
