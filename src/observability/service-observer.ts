import type { AuditRecord } from "#core/audit.ts";
import type { Log } from "#core/log.ts";
import type { CommittedBatch, Gauge, Observer, WebhookAttempt } from "#core/observer.ts";
import { logAudited } from "./audit-line.ts";
import { PartMetrics } from "./metrics/part-metrics.ts";
import type { SpanSink } from "./traces/span-sink.ts";

/** Writes failures and notices of the service's parts to the log, and holds the figures that they report. */
export class ServiceObserver implements Observer {
  readonly #log: Log;
  readonly #notices = new Set<string>();
  readonly metrics = new PartMetrics();
  /** Set if spans are made. */
  spans: SpanSink | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  batchCommitted(batch: CommittedBatch): void {
    this.metrics.batches++;
    this.metrics.batchRows.observe(batch.rows);
    this.metrics.commitSeconds.observe(batch.commitMs / 1000);
    if (batch.spans.length > 0) this.spans?.addBatch(batch);
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

  webhookAttempted(attempt: WebhookAttempt): void {
    this.metrics.deliveries.add({ outcome: attempt.succeeded ? "succeeded" : "failed" });
    this.metrics.webhookSeconds.observe(attempt.ms / 1000);
    if (attempt.span) this.spans?.addAttempt(attempt, attempt.span);
  }

  jobEnded({ name, error }: { readonly name: string; readonly ms: number; readonly error?: unknown }): void {
    this.metrics.jobs.add({ job: name, outcome: error === undefined ? "succeeded" : "failed" });
    if (error !== undefined) this.failed(name, error);
  }

  failed(part: string, error: unknown): void {
    this.metrics.failures.add({ part });
    this.#log.warn({ part, err: error }, "a part of the service failed");
  }

  audited(record: AuditRecord): void {
    logAudited(this.#log, record);
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
