import type { AuditRecord } from "#core/audit.ts";
import { isReported } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import { type CommittedBatch, type Gauge, type Observer, PARTS, type WebhookAttempt } from "#core/observer.ts";
import { Counter, Histogram, ROWS_BOUNDS, SECONDS_BOUNDS, type Series } from "./metrics/figures.ts";
import type { Spans } from "./traces/spans.ts";

/** Writes failures and notices of the service's parts to the log, and keeps the figures that they report. */
export class ServiceObserver implements Observer {
  readonly #notices = new Set<string>();
  readonly #gauges: Gauge[] = [];
  /** True while the storage takes writes. */
  #isWritable = false;
  #wasWritable = false;
  /** By their names without the prefix. */
  readonly figures = {
    batches_total: 0,
    batch_rows: new Histogram(ROWS_BOUNDS),
    commit_seconds: new Histogram(SECONDS_BOUNDS),
    lock_wait_retries_total: 0,
    write_queue_refused_total: 0,
    checkpoint_seconds: new Histogram(SECONDS_BOUNDS),
    checkpoint_failures_total: 0,
    search_seconds: new Histogram(SECONDS_BOUNDS),
    webhook_seconds: new Histogram(SECONDS_BOUNDS),
    event_loop_late_seconds: new Histogram(SECONDS_BOUNDS),
  };
  readonly #deliveries = Counter.ofOutcomes("plantstore_webhook_deliveries_total", "succeeded", "failed");
  readonly #signIns = Counter.ofOutcomes("plantstore_sign_ins_total", "accepted", "refused");
  readonly #jobs = new Counter("plantstore_jobs_total");
  readonly #failures = new Counter(
    "plantstore_failures_total",
    PARTS.map((part) => ({ part })),
  );
  spans: Spans | undefined;

  constructor(private readonly log: Log) {}

  batchCommitted(batch: CommittedBatch): void {
    this.figures.batches_total++;
    this.figures.batch_rows.observe(batch.rows);
    this.figures.commit_seconds.observe(batch.commitMs / 1000);
    if (batch.spans.length > 0) this.spans?.addBatch(batch);
  }

  lockRetried(): void {
    this.figures.lock_wait_retries_total++;
  }

  writeRefused(): void {
    this.figures.write_queue_refused_total++;
  }

  searched({ ms }: { readonly ms: number }): void {
    this.figures.search_seconds.observe(ms / 1000);
  }

  checkpointEnded({ ms, succeeded }: { readonly ms: number; readonly succeeded: boolean }): void {
    this.figures.checkpoint_seconds.observe(ms / 1000);
    if (!succeeded) this.figures.checkpoint_failures_total++;
  }

  storageWritable(isWritable: boolean): void {
    this.#wasWritable ||= isWritable;
    this.#isWritable = isWritable;
  }

  databaseAway(reason: string | undefined): void {
    const missed = `The database ${this.#wasWritable ? "is out of reach" : "cannot be used yet"}, and is tried again`;
    this.log.warn({}, reason === undefined ? "The database can be used again" : `${missed}: ${reason}`);
  }

  webhookAttempted(attempt: WebhookAttempt): void {
    this.#deliveries.add({ outcome: attempt.succeeded ? "succeeded" : "failed" });
    this.figures.webhook_seconds.observe(attempt.ms / 1000);
    if (attempt.span) this.spans?.addAttempt(attempt, attempt.span);
  }

  /** Its series begin at 0. */
  jobAdded(job: string): void {
    for (const outcome of ["succeeded", "failed"]) this.#jobs.of({ job, outcome });
    this.#failures.of({ part: job });
  }

  jobEnded({ name, error }: { readonly name: string; readonly error?: unknown }): void {
    this.#jobs.add({ job: name, outcome: error === undefined ? "succeeded" : "failed" });
    if (error !== undefined) this.failed(name, error);
  }

  /** `part` is one of the service, or the name of a job. */
  failed(part: string, error: unknown): void {
    this.#failures.add({ part });
    if (!isReported(error)) this.log.warn({ part, err: error }, "a part of the service failed");
  }

  /** The entry is also a line of the log, to be shipped to another machine: who can write the database could change it there. */
  audited({ actor, at, requestId, ...record }: AuditRecord): void {
    this.#countSignIn(record);
    const by = { actor: actor.kind, actor_id: actor.id, actor_name: actor.name };
    this.log.info({ ...record, ...by, at: new Date(at).toISOString(), request_id: requestId }, "audit");
  }

  signInRefused(): void {
    this.#signIns.add({ outcome: "refused" });
  }

  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    this.log.warn({}, message);
  }

  gauge(gauge: Gauge): void {
    this.#gauges.push(gauge);
  }

  *series(): Generator<Series> {
    yield { name: "plantstore_ready", value: Number(this.#isWritable) };
    for (const [name, value] of Object.entries(this.figures)) {
      yield { name: `plantstore_${name as keyof typeof this.figures}`, value };
    }
    for (const counter of [this.#deliveries, this.#jobs, this.#failures, this.#signIns]) yield* counter.series();
    for (const { name, labels, read } of this.#gauges) yield { name: `plantstore_${name}`, labels, value: read() };
  }

  /** The entry that sums up refused sign-ins has their count, and each of them was counted before. */
  #countSignIn({ action, detail }: Pick<AuditRecord, "action" | "detail">): void {
    if (action === "sign_in.succeeded") this.#signIns.add({ outcome: "accepted" });
    const isRefusal = action === "sign_in.failed" || action === "sign_in.second_factor_failed";
    if (isRefusal && detail?.count === undefined) this.#signIns.add({ outcome: "refused" });
  }
}
