import type { AuditRecord } from "./audit.ts";
import type { AttemptSpan, RequestSpan } from "./trace.ts";

/**
 * Takes the reports of storage, committers, pools, workers and jobs: the seam for metrics and the log. Calls are
 * cheap, never throw and never wait. Durations are milliseconds.
 */
export interface Observer {
  /** A transaction of the committer is on disk. */
  batchCommitted(batch: CommittedBatch): void;
  /** Another process held the write lock; the batch is tried again. */
  lockRetried(): void;
  /** The write queue was full, and a write was refused. */
  writeRefused(): void;
  checkpointEnded(checkpoint: { readonly ms: number; readonly succeeded: boolean }): void;
  searched(search: { readonly ms: number }): void;
  /** A webhook request ended. */
  webhookAttempted(attempt: WebhookAttempt): void;
  jobEnded(job: { readonly name: string; readonly ms: number; readonly error?: unknown }): void;
  /** A worker, a job or a connection failed. Logged, with repeated failures of one part summed up, and counted. */
  failed(part: string, error: unknown): void;
  /** An entry of the audit log is on disk. */
  audited(record: AuditRecord): void;
  /** Something that an operator should know, such as why the database cannot be used yet. Logged once for each message. */
  notice(message: string): void;
  /** Registers a number that is read when it is asked for, at a scrape for example. */
  gauge(gauge: Gauge): void;
}

export interface CommittedBatch {
  readonly rows: number;
  /** Of the COMMIT with its fsync. */
  readonly commitMs: number;
  /** When the transaction began, as in performance.now(). */
  readonly startedAt: number;
  /** Of the requests in it that are traced. */
  readonly spans: readonly RequestSpan[];
}

export interface WebhookAttempt {
  readonly endpoint: string;
  /** The id of the event that it told of. */
  readonly event: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly succeeded: boolean;
  readonly httpStatus: number | undefined;
  readonly error: string | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Of the whole attempt. */
  readonly ms: number;
  /** Undefined if it is not traced. */
  readonly span: AttemptSpan | undefined;
}

export interface Gauge {
  /** The metric's name without the prefix `plantstore_`, as in `write_queue_length`. */
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  read(): number;
}

/** Reports to nobody: for commands and tests that do not look. */
export const NO_OBSERVER: Observer = {
  batchCommitted() {},
  lockRetried() {},
  writeRefused() {},
  checkpointEnded() {},
  searched() {},
  webhookAttempted() {},
  jobEnded() {},
  failed() {},
  audited() {},
  notice() {},
  gauge() {},
};
