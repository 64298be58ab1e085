/** The values of a metric's labels come from closed sets, so the number of its series is bounded. */
export type Labels = Readonly<Record<string, string>>;

/** A metric as described in the documents and in the exposition. */
interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  /** "reported" by parts of the service, value by value, or "read" at a scrape. */
  readonly source: "reported" | "read";
  readonly help: string;
  readonly labels: readonly string[];
  /** The values of its one label whose series begin at 0; [""] without labels. A rate cannot see the first count of others. */
  readonly begin: readonly string[];
}

const of =
  <Type extends Metric["type"], Source extends Metric["source"]>(type: Type, source: Source) =>
  <const Label extends string = never>(
    help: string,
    labels: readonly Label[] = [],
    begin: readonly string[] = labels.length === 0 && source === "reported" ? [""] : [],
  ) => ({ type, source, help, labels, begin });
const counter = of("counter", "reported");
const histogram = of("histogram", "reported");
const gauge = of("gauge", "read");
/** A counter that its part keeps by itself. */
const total = of("counter", "read");

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

/**
 * Every metric by its name. The service's own begin with `plantstore_`. No label names an account, a token, a plant or
 * an endpoint, since their number is unbounded.
 */
export const METRICS = {
  plantstore_requests_total: counter("Requests, refused ones by their error number.", [
    "route",
    "method",
    "status_class",
    "error",
  ]),
  plantstore_request_seconds: histogram("Time from a request's head to its answer.", ["route"]),
  plantstore_creates_total: counter(
    "Single creates: created, unchanged (repeated) or taken.",
    ["outcome"],
    ["created", "unchanged", "taken"],
  ),
  plantstore_created_plants_total: counter("Plants created, by single creates and imports."),
  plantstore_write_queue_length: gauge("Writes waiting for the next transaction."),
  plantstore_write_queue_bytes: gauge("Memory of the waiting writes."),
  plantstore_write_queue_refused_total: counter("Writes refused by a full queue."),
  plantstore_batches_total: counter("Transactions of the committer."),
  plantstore_batch_rows: histogram("Rows of each transaction."),
  plantstore_commit_seconds: histogram("Time of each COMMIT with its fsync."),
  plantstore_lock_wait_retries_total: counter("Transactions tried again since another process held the write lock."),
  plantstore_wal_bytes: gauge("Size of SQLite's write-ahead log."),
  plantstore_checkpoint_seconds: histogram("Time of each checkpoint of the write-ahead log."),
  plantstore_checkpoint_failures_total: counter("Checkpoints that failed."),
  plantstore_database_bytes: gauge("Size of the SQLite database."),
  plantstore_disk_free_bytes: gauge(
    "Free space on the file system of the database (`data`) and of BACKUP_TO (`backups`), where that is a folder.",
    ["disk"],
  ),
  plantstore_search_step_seconds: histogram("Time of each step of the search index, with its transaction (SQLite)."),
  plantstore_search_behind_plants: gauge("Plants not yet in the search index."),
  plantstore_search_seconds: histogram("Time of each search."),
  plantstore_pool_connections: gauge("Connections to PostgreSQL.", ["pool", "state"]),
  plantstore_pool_waiting: gauge("Callers waiting for a connection to PostgreSQL.", ["pool"]),
  plantstore_readings: gauge("Requests for a reading thread, running and waiting for their account's turn.", ["state"]),
  plantstore_feed_lag_seconds: gauge("Age of the oldest change that the feed cannot show yet; 0 on SQLite."),
  plantstore_streams: gauge("Open event streams."),
  plantstore_webhook_deliveries_total: counter("Attempts to deliver a webhook.", ["outcome"], ["succeeded", "failed"]),
  plantstore_webhook_seconds: histogram("Time of each attempt to deliver a webhook."),
  plantstore_webhook_retries_waiting: gauge("Webhook deliveries waiting for another attempt."),
  plantstore_webhook_endpoints: gauge("Webhook endpoints by state.", ["state"]),
  plantstore_tokens_known: gauge("Tokens in the cache."),
  plantstore_tokens_looked_up_total: total("Look-ups of tokens in the store."),
  plantstore_sign_ins_total: counter(
    "Sign-ins accepted, and passwords, codes and passkeys refused.",
    ["outcome"],
    ["accepted", "refused"],
  ),
  plantstore_backup_last_success_timestamp_seconds: gauge("Time of the last backup."),
  plantstore_backup_seconds: gauge("Duration of the last backup."),
  plantstore_backup_bytes: gauge("Size of the last backup."),
  plantstore_backup_last_verified_timestamp_seconds: gauge("Time at which a backup was last verified; 0 if none was."),
  plantstore_backup_verified: gauge(
    "0 if the last verification found damage, or a backup's file is missing or has another size than was written; else 1.",
  ),
  plantstore_certificate_left_seconds: gauge("Time until the certificate of HTTPS ends; absent without one."),
  plantstore_certificate_life_seconds: gauge("The whole life of that certificate."),
  plantstore_request_log_dropped_total: total("Requests that the request log lost."),
  plantstore_log_lines_lost_total: total("Log lines lost because nobody read them."),
  plantstore_spans_dropped_total: total("Spans lost before the collector."),
  plantstore_jobs_total: counter("Runs of jobs.", ["job", "outcome"]),
  plantstore_failures_total: counter("Failures of parts of the service.", ["part"], PARTS),
  plantstore_ready: gauge(
    "1 while the storage takes writes; 0 after a refused write, until a trial write succeeds (every 5 s, and at each `/readyz`).",
  ),
  plantstore_event_loop_late_seconds: histogram("Lateness of a timer on the thread that serves."),
  plantstore_build_info: gauge("1, labelled with what runs.", ["version", "runtime"]),
  process_cpu_seconds_total: total("Processor time of the process."),
  process_resident_memory_bytes: gauge("Resident memory of the process."),
  process_open_fds: gauge("Open file descriptors of the process."),
  process_max_fds: gauge("Limit of open file descriptors."),
  process_start_time_seconds: gauge("Start of the process, since 1970."),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
type NameOf<Described extends Partial<Metric>> = {
  [Name in MetricName]: (typeof METRICS)[Name] extends Described ? Name : never;
}[MetricName];
type CounterName = NameOf<{ type: "counter"; source: "reported" }>;
type HistogramName = NameOf<{ type: "histogram" }>;
type ReadName = NameOf<{ source: "read" }>;
type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]["labels"][number], string>>;

/** Is told the figures of the service's parts. Calls are cheap, never throw and never wait. */
export interface Meter {
  count<Name extends CounterName>(name: Name, labels?: LabelsOf<Name>): void;
  /** Times are in seconds. */
  observe(name: HistogramName, value: number): void;
  /** Registers a value that is read on demand, for example at a scrape. */
  gauge<Name extends ReadName>(name: Name, read: () => number, labels?: LabelsOf<Name>): void;
}
