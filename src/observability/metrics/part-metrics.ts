import type { AuditRecord } from "#core/audit.ts";
import { type Gauge, PARTS } from "#core/observer.ts";
import { Counter } from "./counter.ts";
import type { Series } from "./exposition.ts";
import { Histogram, ROWS_BOUNDS, SECONDS_BOUNDS } from "./histogram.ts";

/** The figures that storage, workers and jobs report. */
export class PartMetrics {
  readonly batchRows = new Histogram(ROWS_BOUNDS);
  readonly commitSeconds = new Histogram(SECONDS_BOUNDS);
  readonly checkpointSeconds = new Histogram(SECONDS_BOUNDS);
  readonly searchSeconds = new Histogram(SECONDS_BOUNDS);
  readonly webhookSeconds = new Histogram(SECONDS_BOUNDS);
  readonly eventLoopLateSeconds = new Histogram(SECONDS_BOUNDS);
  readonly deliveries = new Counter("plantstore_webhook_deliveries_total", [
    { outcome: "succeeded" },
    { outcome: "failed" },
  ]);
  readonly jobs = new Counter("plantstore_jobs_total");
  readonly failures = new Counter(
    "plantstore_failures_total",
    PARTS.map((part) => ({ part })),
  );
  readonly signIns = new Counter("plantstore_sign_ins_total", [{ outcome: "accepted" }, { outcome: "refused" }]);
  readonly #gauges: Gauge[] = [];
  batches = 0;
  lockRetries = 0;
  refusedWrites = 0;
  failedCheckpoints = 0;
  /** True once the storage could be written, until it could not. */
  isWritable = false;

  gauge(gauge: Gauge): void {
    this.#gauges.push(gauge);
  }

  /** Its series begin at 0. */
  addJob(job: string): void {
    for (const outcome of ["succeeded", "failed"]) this.jobs.of({ job, outcome });
    this.failures.of({ part: job });
  }

  /** The entry that sums up refused sign-ins has their count, and each of them was counted before. */
  countSignIn({ action, detail }: AuditRecord): void {
    if (action === "sign_in.succeeded") this.signIns.add({ outcome: "accepted" });
    const isRefusal = action === "sign_in.failed" || action === "sign_in.second_factor_failed";
    if (isRefusal && detail?.count === undefined) this.signIns.add({ outcome: "refused" });
  }

  *series(): Generator<Series> {
    yield { name: "plantstore_ready", value: this.isWritable ? 1 : 0 };
    yield { name: "plantstore_batches_total", value: this.batches };
    yield { name: "plantstore_batch_rows", value: this.batchRows };
    yield { name: "plantstore_commit_seconds", value: this.commitSeconds };
    yield { name: "plantstore_lock_wait_retries_total", value: this.lockRetries };
    yield { name: "plantstore_write_queue_refused_total", value: this.refusedWrites };
    yield { name: "plantstore_checkpoint_seconds", value: this.checkpointSeconds };
    yield { name: "plantstore_checkpoint_failures_total", value: this.failedCheckpoints };
    yield { name: "plantstore_search_seconds", value: this.searchSeconds };
    yield { name: "plantstore_webhook_seconds", value: this.webhookSeconds };
    yield { name: "plantstore_event_loop_late_seconds", value: this.eventLoopLateSeconds };
    yield* this.deliveries.series();
    yield* this.jobs.series();
    yield* this.failures.series();
    yield* this.signIns.series();
    for (const { name, labels, read } of this.#gauges) yield { name: `plantstore_${name}`, labels, value: read() };
  }
}
