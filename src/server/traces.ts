import { VERSION } from "#contract/v1/version.ts";
import type { Job } from "#core/job.ts";
import type { RequestSink } from "#core/request.ts";
import type { Sampler } from "#core/trace.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import { sampler } from "#observability/traces/sampler.ts";
import type { Settings } from "./settings.ts";

export interface Traces {
  readonly sink: RequestSink;
  readonly sampler: Sampler;
  readonly job: Job;
  /** The number of spans lost so far. */
  dropped(): number;
}

/**
 * Sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT; undefined if there is none, and nothing is loaded then.
 */
export async function openTraces(settings: Settings, observer: ServiceObserver): Promise<Traces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name } = settings;
  if (endpoint === undefined) return undefined;
  const { Spans } = await import("#observability/traces/spans.ts");
  const spans = new Spans({
    url: `${endpoint.replace(/\/$/, "")}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    attributes: {
      "service.name": "plantstore",
      "service.version": VERSION,
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      ...(name === undefined ? {} : { "service.name": name }),
    },
    observer,
  });
  observer.spans = spans;
  return {
    sink: spans,
    sampler: sampler(settings.OTEL_TRACES_SAMPLER_ARG),
    job: spans.queue.job,
    dropped: () => spans.queue.dropped,
  };
}
