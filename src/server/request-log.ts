import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { RequestLogStore } from "#core/request-log.ts";
import { RequestLog } from "#observability/request-log.ts";
import type { Settings } from "./settings.ts";

const FORGET_EVERY_MS = 60_000;
const MB = 1024 * 1024;

/** The request log with its jobs; undefined if it is turned off. */
export function openRequestLog(
  settings: Settings,
  store: RequestLogStore,
  observer: Observer,
): { readonly log: RequestLog; readonly jobs: readonly Job[] } | undefined {
  const { REQUEST_LOG_KEPT: keptMs } = settings;
  if (keptMs === 0) return undefined;
  const log = new RequestLog({
    store,
    observer,
    successesMax: settings.REQUEST_LOG_SUCCESSES,
    bodies: settings.REQUEST_LOG_BODIES === "on",
    addresses: settings.REQUEST_LOG_ADDRESSES,
    bytesMax: settings.REQUEST_LOG_MB * MB,
  });
  const forget: Job = {
    name: "old-requests",
    intervalMs: FORGET_EVERY_MS,
    exclusive: true,
    run: async ({ now }) => ((await store.forget(now - keptMs)) ? 0 : undefined),
  };
  return { log, jobs: [log.job, forget] };
}
