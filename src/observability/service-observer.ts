import type { AuditRecord } from "#core/audit.ts";
import { isReported } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import type { CommittedBatch, Observer, WebhookAttempt } from "#core/observer.ts";
import { Figures } from "./metrics/figures.ts";
import type { Spans } from "./traces/spans.ts";

const BACKUP_JOB = "backup";

/** Writes failures and notices of the service's parts to the log, and keeps the figures that they report. */
export class ServiceObserver extends Figures implements Observer {
  readonly #notices = new Set<string>();
  /** True while the storage takes writes. */
  #isWritable = false;
  #wasWritable = false;
  spans: Spans | undefined;

  constructor(private readonly log: Log) {
    super();
    this.gauge("plantstore_ready", () => Number(this.#isWritable));
  }

  batchCommitted(batch: CommittedBatch): void {
    this.count("plantstore_batches_total");
    this.observe("plantstore_batch_rows", batch.rows);
    this.observe("plantstore_commit_seconds", batch.commitMs / 1000);
    if (batch.spans.length > 0) this.spans?.addBatch(batch);
  }

  storageWritable(isWritable: boolean): void {
    this.#wasWritable ||= isWritable;
    this.#isWritable = isWritable;
  }

  databaseAway(reason: string | undefined): void {
    const missed = `The database ${this.#wasWritable ? "is out of reach" : "cannot be used yet"}, and is tried again`;
    if (reason === undefined) this.log.warn({}, "The database can be used again");
    else this.log.error({}, `${missed}: ${reason}`);
  }

  diskFull(reason: string | undefined): void {
    if (reason === undefined) this.log.warn({}, "The disk of the database takes writes again");
    else this.log.error({}, `The disk of the database takes no writes, which are refused until it does: ${reason}`);
  }

  webhookAttempted(attempt: WebhookAttempt): void {
    this.count("plantstore_webhook_deliveries_total", { outcome: attempt.succeeded ? "succeeded" : "failed" });
    this.observe("plantstore_webhook_seconds", attempt.ms / 1000);
    if (attempt.span) this.spans?.addAttempt(attempt, attempt.span);
  }

  webhookStopped(endpoint: string, status: "paused" | "disabled"): void {
    const until =
      status === "paused" ? "one event at a time is tried until one is taken" : "nothing more is sent to it";
    this.log.warn({ endpoint }, `The webhook endpoint ${endpoint} fails and is ${status}: ${until}`);
  }

  /** Its series begin at 0. */
  jobAdded(job: string): void {
    for (const outcome of ["succeeded", "failed"]) this.counter("plantstore_jobs_total", { job, outcome });
    this.counter("plantstore_failures_total", { part: job });
  }

  jobEnded({ name, error }: { readonly name: string; readonly error?: unknown }): void {
    this.count("plantstore_jobs_total", { job: name, outcome: error === undefined ? "succeeded" : "failed" });
    if (error !== undefined) this.failed(name, error);
  }

  /** `part` is one of the service, or the name of a job. */
  failed(part: string, error: unknown): void {
    this.count("plantstore_failures_total", { part });
    if (isReported(error)) return;
    const fields = { part, err: error };
    const message = "a part of the service failed";
    // A failed backup is an error at once; other parts retry and only warn.
    if (part === BACKUP_JOB) this.log.error(fields, message);
    else this.log.warn(fields, message);
  }

  /** The entry is also a line of the log, to be shipped to another machine: who can write the database could change it there. */
  audited({ actor, at, requestId, ofPerson, madeStore: _, ...record }: AuditRecord): void {
    this.#countSignIn(record);
    const by = { actor: actor.kind, actor_id: actor.id, actor_name: actor.name };
    const whose = { of_person: ofPerson, at: new Date(at).toISOString(), request_id: requestId };
    this.log.info({ ...record, ...by, ...whose }, "audit");
  }

  gaveUp(message: string, error: unknown): void {
    this.log.error({ err: error }, message);
  }

  notice(message: string): void {
    if (this.#notices.has(message)) return;
    this.#notices.add(message);
    this.log.warn({}, message);
  }

  /** The entry that sums up refused sign-ins has their count, and each of them was counted before. */
  #countSignIn({ action, detail }: Pick<AuditRecord, "action" | "detail">): void {
    if (action === "sign_in.succeeded") this.count("plantstore_sign_ins_total", { outcome: "accepted" });
    const isRefusal = action === "sign_in.failed" || action === "sign_in.second_factor_failed";
    if (isRefusal && detail?.count === undefined) this.count("plantstore_sign_ins_total", { outcome: "refused" });
  }
}
