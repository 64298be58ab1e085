import type { AuditRecord } from "#core/audit.ts";
import { isReported } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import type { CommittedBatch, Gauge, Observer, Part, WebhookAttempt } from "#core/observer.ts";
import { logAudited } from "./audit-line.ts";
import { PartMetrics } from "./metrics/part-metrics.ts";
import type { SpanSink } from "./traces/span-sink.ts";

/** Writes failures and notices of the service's parts to the log, and holds the figures that they report. */
export class ServiceObserver implements Observer {
  readonly #log: Log;
  readonly #notices = new Set<string>();
  #wasWritable = false;
  readonly metrics = new PartMetrics();
  /** Set if spans are made. */
  spans: SpanSink | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  batchCommitted(batch: CommittedBatch): void {
    this.metrics.batches++;
    this.metrics.isWritable = true;
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

  storageWritable(isWritable: boolean): void {
    this.#wasWritable ||= isWritable;
    this.metrics.isWritable = isWritable;
  }

  databaseAway(reason: string | undefined): void {
    const missed = `The database ${this.#wasWritable ? "is out of reach" : "cannot be used yet"}, and is tried again`;
    this.#log.warn({}, reason === undefined ? "The database can be used again" : `${missed}: ${reason}`);
  }

  webhookAttempted(attempt: WebhookAttempt): void {
    this.metrics.deliveries.add({ outcome: attempt.succeeded ? "succeeded" : "failed" });
    this.metrics.webhookSeconds.observe(attempt.ms / 1000);
    if (attempt.span) this.spans?.addAttempt(attempt, attempt.span);
  }

  jobAdded(name: string): void {
    this.metrics.addJob(name);
  }

  jobEnded({ name, error }: { readonly name: string; readonly ms: number; readonly error?: unknown }): void {
    this.metrics.jobs.add({ job: name, outcome: error === undefined ? "succeeded" : "failed" });
    if (error !== undefined) this.#failed(name, error);
  }

  failed(part: Part, error: unknown): void {
    this.#failed(part, error);
  }

  audited(record: AuditRecord): void {
    this.metrics.countSignIn(record);
    logAudited(this.#log, record);
  }

  signInRefused(): void {
    this.metrics.signIns.add({ outcome: "refused" });
  }

  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    this.#log.warn({}, message);
  }

  gauge(gauge: Gauge): void {
    this.metrics.gauge(gauge);
  }

  #failed(part: string, error: unknown): void {
    this.metrics.failures.add({ part });
    if (!isReported(error)) this.#log.warn({ part, err: error }, "a part of the service failed");
  }
}
