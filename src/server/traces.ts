import { VERSION } from "#contract/v1/version.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { RequestSink } from "#core/request.ts";
import { SampledRequests } from "#observability/traces/sampled-requests.ts";
import type { Settings } from "./settings.ts";

export interface Traces {
  readonly sink: RequestSink;
  readonly job: Job;
  /** Spans that were lost so far. */
  dropped(): number;
}

/** Sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT; undefined, and nothing is loaded, if there is none. */
export async function openTraces(settings: Settings, observer: Observer): Promise<Traces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name } = settings;
  if (endpoint === undefined) return undefined;
  const { RequestSpans } = await import("#observability/traces/request-spans.ts");
  const spans = new RequestSpans({
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
  return {
    sink: new SampledRequests(settings.OTEL_TRACES_SAMPLER_ARG, (request) => spans.add(request)),
    job: spans.queue.job,
    dropped: () => spans.queue.dropped,
  };
}
