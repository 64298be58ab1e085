import type { AuditRecord } from "./audit.ts";
import type { Meter, PARTS } from "./metrics.ts";
import type { AttemptSpan, RequestSpan } from "./trace.ts";

/**
 * Receives the reports of storage, committers, pools, workers and jobs, for metrics and the log. Calls are cheap, never
 * throw and never wait. Durations are in milliseconds.
 */
export interface Observer extends Meter {
  /** A transaction of the committer is on disk. */
  batchCommitted(batch: CommittedBatch): void;
  /** A trial showed that the storage takes writes; or it refused one: its disk is full, its lock held, or it is out of reach. */
  storageWritable(isWritable: boolean): void;
  /** A write was refused since its disk has no room or does not work, for this reason; or, if it is undefined, takes writes again. */
  diskFull(reason: string | undefined): void;
  /** The database is out of reach for this reason, or, if it is undefined, no longer. Each is logged in one line. */
  databaseAway(reason: string | undefined): void;
  webhookAttempted(attempt: WebhookAttempt): void;
  /** Attempts at a webhook endpoint have failed so often that it is now paused, or disabled. */
  webhookStopped(endpoint: string, status: "paused" | "disabled"): void;
  jobAdded(name: string): void;
  jobEnded(job: { readonly name: string; readonly error?: unknown }): void;
  /**
   * A worker, a job or a connection failed. The failure is logged and counted; repeated failures of one part are summed
   * up.
   */
  failed(part: (typeof PARTS)[number], error: unknown): void;
  /** An entry of the audit log is on disk. */
  audited(record: AuditRecord): void;
  /** Something that people wait for will not be done any more. */
  gaveUp(message: string, error: unknown): void;
  /**
   * Reports something that an operator should know, such as why the database cannot be used yet. Each message is logged
   * once.
   */
  notice(message: string): void;
}

export interface CommittedBatch {
  readonly rows: number;
  /** The duration of the COMMIT with its fsync. */
  readonly commitMs: number;
  /** The start of the transaction, on the clock of performance.now(). */
  readonly startedAt: number;
  readonly spans: readonly RequestSpan[];
}

export interface WebhookAttempt {
  readonly endpoint: string;
  readonly event: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly succeeded: boolean;
  readonly httpStatus: number | undefined;
  readonly error: string | undefined;
  /** The start of the attempt, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly span: AttemptSpan | undefined;
}

/** An observer that reports to nobody, for commands and for tests that do not look. */
export const NO_OBSERVER: Observer = {
  batchCommitted() {},
  storageWritable() {},
  diskFull() {},
  databaseAway() {},
  webhookAttempted() {},
  webhookStopped() {},
  jobAdded() {},
  jobEnded() {},
  failed() {},
  audited() {},
  gaveUp() {},
  notice() {},
  count() {},
  observe() {},
  gauge() {},
};
