/**
 * Work that is repeated beside the requests, such as sweeps, checkpoints, the search indexer, usage counts, backups and
 * webhook leases. The runner in `#jobs/job-runner.ts` gives each its interval, its lease and its clean stop.
 */
export interface Job {
  /** Unique, in kebab case, as in `search-indexer`. It names the job in the log, in metrics and in its lease. */
  readonly name: string;
  /** The time between the end of a run and the start of the next, varied by a factor of 0.8 to 1.2. */
  readonly intervalMs: number;
  /** The time before the first run; `intervalMs` by default. */
  readonly firstDelayMs?: number;
  /** True for a job that only one process at a time may run, over all nodes and processes of one database. */
  readonly exclusive?: boolean;
  /**
   * Does a part of the work, small enough for the serving thread. Resolves with the milliseconds until the next run if
   * they differ from the interval: 0 while there is more to do. An error is logged and counted, and the job runs again
   * after its interval.
   */
  run(run: JobRun): Promise<number | undefined> | Promise<void>;
  /**
   * Called once when the runner stops, after the last run has ended or was given up, to store anything that is still in
   * memory. It has two seconds, and others finish beside it.
   */
  finish?(): Promise<void>;
}

export interface JobRun {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Aborted when the service stops. A run that has not ended two seconds later is left behind. */
  readonly signal: AbortSignal;
}

/** Leases by name: one holder at a time, over all processes and nodes of one database, by the database's clock. */
export interface LeaseRecords {
  /** Takes or renews the lease; false if another holder has it. */
  acquire(lease: { readonly name: string; readonly holder: string; readonly durationMs: number }): Promise<boolean>;
  release(lease: { readonly name: string; readonly holder: string }): Promise<void>;
}
