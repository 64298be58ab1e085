import type { AuditRecord } from "./audit.ts";
import type { AttemptSpan, RequestSpan } from "./trace.ts";

/**
 * Receives the reports of storage, committers, pools, workers and jobs, for metrics and the log. Calls are cheap, never
 * throw and never wait. Durations are in milliseconds.
 */
export interface Observer {
  /** A transaction of the committer is on disk. */
  batchCommitted(batch: CommittedBatch): void;
  /** Another process held the write lock; the batch will be tried again. */
  lockRetried(): void;
  /** The write queue was full, and a write was refused. */
  writeRefused(): void;
  checkpointEnded(checkpoint: { readonly ms: number; readonly succeeded: boolean }): void;
  searched(search: { readonly ms: number }): void;
  /** A trial showed that the storage takes writes; or it refused one: its disk is full, its lock held, or it is out of reach. */
  storageWritable(isWritable: boolean): void;
  /** The database is out of reach for this reason, or, if it is undefined, no longer. Each is logged in one line. */
  databaseAway(reason: string | undefined): void;
  webhookAttempted(attempt: WebhookAttempt): void;
  jobAdded(name: string): void;
  jobEnded(job: { readonly name: string; readonly error?: unknown }): void;
  /**
   * A worker, a job or a connection failed. The failure is logged and counted; repeated failures of one part are summed
   * up.
   */
  failed(part: Part, error: unknown): void;
  /** An entry of the audit log is on disk. */
  audited(record: AuditRecord): void;
  /** A sign-in was refused, and has no entry in the audit log of its own. */
  signInRefused(): void;
  /**
   * Reports something that an operator should know, such as why the database cannot be used yet. Each message is logged
   * once.
   */
  notice(message: string): void;
  /** Registers a value that is read on demand, for example at a scrape. */
  gauge(gauge: Gauge): void;
}

/** The parts that may fail beside the jobs. */
export const PARTS = [
  "audit log",
  "checkpoint",
  "event-feed",
  "mail",
  "reader",
  "request-log",
  "spans",
  "webhooks",
] as const;
type Part = (typeof PARTS)[number];

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

/** The metrics of gauges, without the prefix `plantstore_`. The catalogue of metrics describes each. */
type GaugeName =
  | "backup_bytes"
  | "backup_last_success_timestamp_seconds"
  | "backup_seconds"
  | "backup_verified"
  | "certificate_life_seconds"
  | "certificate_left_seconds"
  | "database_bytes"
  | "feed_lag_seconds"
  | "pool_connections"
  | "pool_waiting"
  | "readings"
  | "search_behind_plants"
  | "streams"
  | "wal_bytes"
  | "webhook_endpoints"
  | "webhook_retries_waiting"
  | "write_queue_bytes"
  | "write_queue_length";

export interface Gauge {
  readonly name: GaugeName;
  readonly labels?: Readonly<Record<string, string>>;
  read(): number;
}

/** An observer that reports to nobody, for commands and for tests that do not look. */
export const NO_OBSERVER: Observer = {
  batchCommitted() {},
  lockRetried() {},
  writeRefused() {},
  checkpointEnded() {},
  searched() {},
  storageWritable() {},
  databaseAway() {},
  webhookAttempted() {},
  jobAdded() {},
  jobEnded() {},
  failed() {},
  audited() {},
  signInRefused() {},
  notice() {},
  gauge() {},
};
