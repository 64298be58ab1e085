import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Job } from "#core/job.ts";
import type { Records } from "#core/records.ts";
import { refusal } from "#http/answer.ts";
import type { TokenCache } from "#http/token-cache.ts";
import type { SummingLog } from "#observability/log.ts";
import { serveMetrics } from "#observability/metrics/metrics-server.ts";
import { processSeries } from "#observability/metrics/process-metrics.ts";
import { RequestMetrics } from "#observability/metrics/request-metrics.ts";
import type { RequestLog } from "#observability/request-log.ts";
import type { ServiceObserver } from "#observability/service-observer.ts";
import type { Spans } from "#observability/traces/spans.ts";
import { RELEASE } from "../process/release.ts";
import { type Settings, sqlitePath } from "../settings.ts";

const TIMER_MS = 20;

interface Sources {
  readonly observer: ServiceObserver;
  readonly log: Pick<SummingLog, "lostLines">;
  readonly records: Pick<Records, "writable">;
  readonly tokens: TokenCache;
  readonly requestLog: RequestLog | undefined;
  readonly traces: Spans | undefined;
}

/** The address of METRICS, which is the message, cannot be listened on. */
export class MetricsAddressUnusable extends Error {}

/** The metrics, served at the address of METRICS; undefined if there is none. */
export function openMetrics(settings: Settings, { observer, log, records, tokens, requestLog, traces }: Sources) {
  const { METRICS: address, METRICS_TOKEN: token, TAKE_OVER: sharesPort } = settings;
  const database = sqlitePath(settings);
  if (!address) return undefined;
  const sink = new RequestMetrics(observer);
  observer.gauge("plantstore_tokens_known", () => tokens.size);
  observer.gauge("plantstore_tokens_looked_up_total", () => tokens.lookedUp);
  observer.gauge("plantstore_log_lines_lost_total", () => log.lostLines);
  if (requestLog) observer.gauge("plantstore_request_log_dropped_total", () => requestLog.dropped);
  if (traces) observer.gauge("plantstore_spans_dropped_total", () => traces.queue.dropped);
  const { BACKUP_TO: backups } = settings;
  if (database !== undefined) freeSpace(observer, "data", dirname(database));
  if (backups !== undefined && !backups.startsWith("s3://")) freeSpace(observer, "backups", backups);
  const build = { version: RELEASE, runtime: `Bun ${Bun.version}` };
  const series = () => [...observer.series(), ...processSeries(build)];
  /** Throws a MetricsAddressUnusable. */
  const serve = () => {
    try {
      return serveMetrics({ ...address, sharesPort, token, series, refusal: (failure) => refusal(failure, "") });
    } catch (cause) {
      throw new MetricsAddressUnusable(`${address.hostname}:${address.port}`, { cause });
    }
  };
  return { sink, jobs: [lateness(observer), readiness(records)], serve };
}

function lateness(observer: ServiceObserver): Job {
  return {
    name: "event-loop-lateness",
    intervalMs: 1000,
    async run() {
      const start = performance.now();
      await Bun.sleep(TIMER_MS);
      const lateMs = Math.max(0, performance.now() - start - TIMER_MS);
      observer.observe("plantstore_event_loop_late_seconds", lateMs / 1000);
    },
  };
}

/** Only a trial shows whether the storage takes a write again, or still does. The storage itself reports the outcome. */
function readiness(records: Pick<Records, "writable">): Job {
  return { name: "readiness", intervalMs: 5000, run: () => records.writable().catch(() => {}) };
}

function freeSpace(observer: ServiceObserver, disk: "data" | "backups", folder: string): void {
  observer.gauge("plantstore_disk_free_bytes", () => freeBytes(folder), { disk });
}

/** NaN for a folder that is not there. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}
