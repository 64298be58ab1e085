import type { AuditRecord } from "#core/audit.ts";
import type { Log } from "#core/log.ts";
import type { Gauge, Observer } from "#core/observer.ts";
import { PartMetrics } from "./metrics/part-metrics.ts";

/** Writes failures and notices of the service's parts to the log, and keeps the figures that they report. */
export class ServiceObserver implements Observer {
  readonly #log: Log;
  readonly #notices = new Set<string>();
  readonly metrics = new PartMetrics();

  constructor(log: Log) {
    this.#log = log;
  }
  batchCommitted({ rows, commitMs }: { readonly rows: number; readonly commitMs: number }): void {
    this.metrics.batches++;
    this.metrics.batchRows.observe(rows);
    this.metrics.commitSeconds.observe(commitMs / 1000);
  }

  lockRetried(): void {
    this.metrics.lockRetries++;
  }

  writeRefused(): void {
    this.metrics.refusedWrites++;
  }

  searched({ ms }: { readonly ms: number }): void {
    this.metrics.searchSeconds.observe(ms / 1000);
  }

  checkpointEnded({ ms, succeeded }: { readonly ms: number; readonly succeeded: boolean }): void {
    this.metrics.checkpointSeconds.observe(ms / 1000);
    if (!succeeded) this.metrics.failedCheckpoints++;
  }

  webhookAttempted({ succeeded, ms }: { readonly succeeded: boolean; readonly ms: number }): void {
    this.metrics.deliveries.add({ outcome: succeeded ? "succeeded" : "failed" });
    this.metrics.webhookSeconds.observe(ms / 1000);
  }

  jobEnded({ name, error }: { readonly name: string; readonly ms: number; readonly error?: unknown }): void {
    this.metrics.jobs.add({ job: name, outcome: error === undefined ? "succeeded" : "failed" });
    if (error !== undefined) this.failed(name, error);
  }

  failed(part: string, error: unknown): void {
    this.metrics.failures.add({ part });
    this.#log.warn({ part, err: error }, "a part of the service failed");
  }

  audited({ actor, at, ...record }: AuditRecord): void {
    const time = new Date(at).toISOString();
    this.#log.info({ ...record, at: time, actor: actor.kind, actor_id: actor.id, actor_name: actor.name }, "audit");
  }

  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    this.#log.warn({}, message);
  }

  gauge(gauge: Gauge): void {
    this.metrics.gauge(gauge);
  }
}
