import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { Records } from "#core/records.ts";
import type { RequestSink } from "#core/request.ts";
import type { RequestLogRecords } from "#core/request-log.ts";
import type { TokenCache } from "#http/token-cache.ts";
import type { SummingLog } from "#observability/log.ts";
import { RequestLog } from "#observability/request-log.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import { sampler } from "#observability/traces/sampler.ts";
import { RELEASE } from "../process/release.ts";
import type { Settings } from "../settings.ts";
import { openMetrics } from "./metrics.ts";

interface Parts {
  readonly observer: ServiceObserver;
  readonly log: SummingLog;
  readonly tokens: TokenCache;
  readonly records: Records;
  /** The sinks of other parts that are told of each request. */
  readonly sinks: readonly RequestSink[];
}

/** The parts that watch requests: the request log, the metrics and the traces, if they are turned on. */
export async function openObservation(settings: Settings, { observer, log, tokens, records, sinks }: Parts) {
  const requestLog = openRequestLog(settings, records.requests, observer);
  const traces = await openTraces(settings, observer);
  const metrics = openMetrics(settings, { observer, log, records, tokens, requestLog: requestLog?.log, traces });
  const watching: (RequestSink | undefined)[] = [requestLog?.log, metrics?.sink, traces];
  return {
    service: {
      sinks: [...watching.filter((sink) => sink !== undefined), ...sinks],
      sampler: traces && sampler(settings.OTEL_TRACES_SAMPLER_ARG),
      meter: observer,
    },
    jobs: [...(requestLog?.jobs ?? []), ...(metrics?.jobs ?? []), ...(traces ? [traces.queue.job] : [])],
    /** Listens on the address of METRICS, if there is one. */
    listen: () => metrics?.serve(),
  };
}

/** The request log with its jobs; undefined if it is turned off. */
export function openRequestLog(settings: Settings, records: RequestLogRecords, observer: Observer) {
  const { REQUEST_LOG_KEPT: keptMs } = settings;
  if (keptMs === 0) return undefined;
  const log = new RequestLog({
    records,
    observer,
    bodies: settings.REQUEST_LOG_BODIES === "on",
    addresses: settings.REQUEST_LOG_ADDRESSES,
    bytesMax: settings.REQUEST_LOG_MB * 1024 * 1024,
  });
  const forget: Job = {
    name: "old-requests",
    intervalMs: 60_000,
    exclusive: true,
    run: async ({ now }) => ((await records.forget(now - keptMs)) ? 0 : undefined),
  };
  return { log, jobs: [log.job, forget] };
}

/** Sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT; loads nothing and gives undefined if there is none. */
async function openTraces(settings: Settings, observer: ServiceObserver) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  const { Spans } = await import("#observability/traces/spans.ts");
  observer.spans = new Spans({
    // Some name the address of the traces, others that of the collector.
    url: `${endpoint.replace(/\/(?:v1\/traces\/?)?$/, "")}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    attributes: { "service.name": "plantstore", "service.version": RELEASE },
    observer,
  });
  return observer.spans;
}
