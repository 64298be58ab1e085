import type { Job } from "#core/job.ts";
import type { RequestSink } from "#core/request.ts";
import type { Store } from "#core/store.ts";
import type { TokenCache } from "#http/token-cache.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import { openMetrics } from "./metrics.ts";
import { openRequestLog } from "./request-log.ts";
import type { Settings } from "./settings.ts";

interface Parts {
  readonly observer: ServiceObserver;
  readonly tokens: TokenCache;
  readonly store: Store;
}

/** The parts that watch requests: the request log and the metrics, as far as they are turned on. */
export interface Observation {
  readonly sinks: readonly RequestSink[];
  readonly jobs: readonly Job[];
  /** Listens on the address of METRICS, if there is one. */
  listen(): Bun.Server<undefined> | undefined;
}

export function openObservation(settings: Settings, { observer, tokens, store }: Parts): Observation {
  const requestLog = openRequestLog(settings, store.requests, observer);
  const metrics = openMetrics(settings, { observer, tokens, requestLog: requestLog?.log });
  return {
    sinks: [requestLog?.log, metrics?.sink].filter((sink) => sink !== undefined),
    jobs: [...(requestLog?.jobs ?? []), ...(metrics ? [metrics.job] : [])],
    listen: () => metrics?.serve(),
  };
}
