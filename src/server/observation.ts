import type { Job } from "#core/job.ts";
import type { RequestSink } from "#core/request.ts";
import type { Store } from "#core/store.ts";
import type { Sampler } from "#core/trace.ts";
import type { TokenCache } from "#http/token-cache.ts";
import type { SummingLog } from "#observability/log.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import { openMetrics } from "./metrics.ts";
import { openRequestLog } from "./request-log.ts";
import type { Settings } from "./settings.ts";
import { openTraces } from "./traces.ts";

interface Parts {
  readonly observer: ServiceObserver;
  readonly log: SummingLog;
  readonly tokens: TokenCache;
  readonly store: Store;
  /** The sinks of other parts that are told of each request. */
  readonly sinks: readonly RequestSink[];
}

/** The parts that watch requests: the request log, the metrics and the traces, if they are turned on. */
export interface Observation {
  readonly service: { readonly sinks: readonly RequestSink[]; readonly sampler: Sampler | undefined };
  readonly jobs: readonly Job[];
  /** Listens on the address of METRICS, if there is one. */
  listen(): Bun.Server<undefined> | undefined;
}

export async function openObservation(
  settings: Settings,
  { observer, log, tokens, store, sinks }: Parts,
): Promise<Observation> {
  const requestLog = openRequestLog(settings, store.requests, observer);
  const traces = await openTraces(settings, observer);
  const metrics = openMetrics(settings, { observer, log, store, tokens, requestLog: requestLog?.log, traces });
  return {
    service: {
      sinks: [requestLog?.log, metrics?.sink, traces?.sink, ...sinks].filter((sink) => sink !== undefined),
      sampler: traces?.sampler,
    },
    jobs: [...(requestLog?.jobs ?? []), ...(metrics?.jobs ?? []), ...(traces ? [traces.job] : [])],
    listen: () => metrics?.serve(),
  };
}
