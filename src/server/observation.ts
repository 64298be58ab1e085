import type { Job } from "#core/job.ts";
import type { RequestSink } from "#core/request.ts";
import type { Store } from "#core/store.ts";
import type { TokenCache } from "#http/token-cache.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import { openMetrics } from "./metrics.ts";
import { openRequestLog } from "./request-log.ts";
import type { Settings } from "./settings.ts";
import { openTraces } from "./traces.ts";

interface Parts {
  readonly observer: ServiceObserver;
  readonly tokens: TokenCache;
  readonly store: Store;
}

/** The parts that watch requests: the request log, the metrics and the traces, as far as they are turned on. */
export interface Observation {
  readonly sinks: readonly RequestSink[];
  readonly jobs: readonly Job[];
  /** Listens on the address of METRICS, if there is one. */
  listen(): Bun.Server<undefined> | undefined;
}

export async function openObservation(settings: Settings, { observer, tokens, store }: Parts): Promise<Observation> {
  const requestLog = openRequestLog(settings, store.requests, observer);
  const traces = await openTraces(settings, observer);
  const metrics = openMetrics(settings, { observer, tokens, requestLog: requestLog?.log, traces });
  return {
    sinks: [requestLog?.log, metrics?.sink, traces?.sink].filter((sink) => sink !== undefined),
    jobs: [...(requestLog?.jobs ?? []), ...(metrics ? [metrics.job] : []), ...(traces ? [traces.job] : [])],
    listen: () => metrics?.serve(),
  };
}
