import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { masked } from "#core/masked.ts";
import type { CommittedBatch, Observer, WebhookAttempt } from "#core/observer.ts";
import type { EndedRequest, RequestSink } from "#core/request.ts";
import { type AttemptSpan, newSpanId, newTraceId, type SpanIds } from "#core/trace.ts";
import { SpanQueue } from "./span-queue.ts";

/** The limit of one sending, with the exporter's repeated attempts. */
const SEND_MS_MAX = 3000;
/** The limit of links in a span, since an import writes many transactions. */
const LINKS_MAX = 128;

export interface SpanOptions {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The service's name and version, where OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say nothing else. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly observer: Pick<Observer, "failed">;
}

interface EndedSpan extends SpanIds {
  readonly name: string;
  readonly kind: SpanKind;
  /** The parent in the same trace, which is a span of the caller if `isRemote`. */
  readonly parentSpanId?: string | undefined;
  readonly isRemote?: boolean;
  readonly links?: readonly SpanIds[];
  readonly attributes: Attributes;
  readonly failed: boolean;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly durationMs: number;
}

/**
 * Makes spans of requests, of the transactions that hold their writes, and of attempts to deliver webhooks, and sends
 * them to a collector by OTLP over HTTP. Import it only if there is a collector: loading it takes 22 MB.
 */
export class Spans implements RequestSink {
  readonly queue: SpanQueue;
  /** The ids of the next span, which other spans refer to before it ends. */
  #ids: SpanIds = { traceId: "", spanId: "" };
  readonly #provider: BasicTracerProvider;

  constructor({ url, headers, attributes, observer }: SpanOptions) {
    const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MS_MAX });
    const { origin, pathname } = new URL(url);
    this.queue = new SpanQueue(exporter, observer, origin + pathname);
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes(attributes).merge(detectResources({ detectors: [envDetector] })),
      sampler: new AlwaysOnSampler(),
      idGenerator: { generateTraceId: () => this.#ids.traceId, generateSpanId: () => this.#ids.spanId },
      spanProcessors: [this.queue],
    });
  }

  requestEnded(request: EndedRequest): void {
    const { span } = request;
    if (!span) return;
    const { method, route, status, endedAt, durationMs, errorNumber, trace: caller } = request;
    this.#add({
      ...span,
      name: `${method} ${route}`,
      kind: SpanKind.SERVER,
      parentSpanId: caller?.spanId,
      isRemote: true,
      links: span.batches,
      attributes: {
        "http.request.method": method,
        "http.response.status_code": status,
        "url.path": masked(request.path),
        "plantstore.request_id": request.id,
        "plantstore.route": route,
        ...(errorNumber === undefined ? {} : { "error.type": String(errorNumber) }),
      },
      failed: status >= 500,
      start: performance.timeOrigin + endedAt - durationMs,
      durationMs,
    });
  }

  /** A transaction with traced requests: a trace of its own. It links to the requests, and each of them links to it. */
  addBatch({ rows, commitMs, startedAt, spans }: CommittedBatch): void {
    const ids = { traceId: newTraceId(crypto.randomUUID()), spanId: newSpanId(crypto.randomUUID()) };
    for (const { batches } of spans) if (batches.length < LINKS_MAX) batches.push(ids);
    this.#add({
      ...ids,
      name: "commit batch",
      kind: SpanKind.INTERNAL,
      links: spans.slice(0, LINKS_MAX),
      attributes: { "db.operation.batch.size": rows, "plantstore.commit_ms": commitMs },
      failed: false,
      start: performance.timeOrigin + startedAt,
      durationMs: performance.now() - startedAt,
    });
  }

  addAttempt(
    { endpoint, event, attempt, succeeded, httpStatus, error, at, ms }: WebhookAttempt,
    span: AttemptSpan,
  ): void {
    this.#add({
      ...span,
      name: "POST webhook",
      kind: SpanKind.CLIENT,
      attributes: {
        "http.request.method": "POST",
        "plantstore.webhook": endpoint,
        "plantstore.event": event,
        "plantstore.attempt": attempt,
        ...(httpStatus === undefined ? {} : { "http.response.status_code": httpStatus }),
        ...(error === undefined ? {} : { "error.type": error }),
      },
      failed: !succeeded,
      start: at,
      durationMs: ms,
    });
  }

  #add({ traceId, spanId, name, kind, parentSpanId, isRemote = false, links = [], ...span }: EndedSpan): void {
    this.#ids = { traceId, spanId };
    const parent = parentSpanId && { ...contextOf({ traceId, spanId: parentSpanId }), isRemote };
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const { attributes, start: startTime } = span;
    const options = { kind, startTime, attributes, links: links.map((to): Link => ({ context: contextOf(to) })) };
    const made = this.#provider.getTracer("plantstore").startSpan(name, options, context);
    if (span.failed) made.setStatus({ code: SpanStatusCode.ERROR });
    made.end(startTime + span.durationMs);
  }
}

function contextOf({ traceId, spanId }: SpanIds) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}
