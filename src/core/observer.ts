import type { AuditRecord } from "./audit.ts";

/**
 * Takes the reports of storage, committers, pools, workers and jobs: the seam for metrics and the log. Calls are
 * cheap, never throw and never wait. Durations are milliseconds.
 */
export interface Observer {
  /** A transaction of the committer is on disk. `commitMs` is the COMMIT with its fsync. */
  batchCommitted(batch: { readonly rows: number; readonly commitMs: number }): void;
  /** Another process held the write lock; the batch is tried again. */
  lockRetried(): void;
  /** The write queue was full, and a write was refused. */
  writeRefused(): void;
  checkpointEnded(checkpoint: { readonly ms: number; readonly succeeded: boolean }): void;
  searched(search: { readonly ms: number }): void;
  /** A webhook request ended; `ms` is the whole attempt. */
  webhookAttempted(attempt: { readonly succeeded: boolean; readonly ms: number }): void;
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
