import type { Job, LeaseStore } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { ScheduledJob } from "./scheduled-job.ts";

export interface JobRunnerOptions {
  readonly leases: LeaseStore;
  readonly observer: Observer;
  /** A number from 0 to 1, which spreads the runs of many nodes. */
  readonly random?: () => number;
}

/** Runs jobs at their intervals until it is closed. Jobs are independent: each waits only for its own last run. */
export class JobRunner {
  readonly #jobs = new Map<string, ScheduledJob>();
  readonly #options: Required<JobRunnerOptions>;
  readonly #holder = crypto.randomUUID();
  readonly #stopping = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: JobRunnerOptions) {
    this.#options = { random: Math.random, ...options };
  }

  start(job: Job): void {
    if (this.#jobs.has(job.name)) throw new Error(`There are two jobs called ${job.name}`);
    const { leases, observer, random } = this.#options;
    const { signal } = this.#stopping;
    observer.jobAdded(job.name);
    this.#jobs.set(job.name, new ScheduledJob(job, { leases, observer, random, signal, holder: this.#holder }));
  }

  /** Runs the job now, or once more as soon as the present run has ended. */
  wake(name: string): void {
    this.#jobs.get(name)?.wake();
  }

  /**
   * Starts no further run, waits for the present ones, and lets each job finish. The job that was started last finishes
   * first, since it may rely on earlier ones.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    const jobs = [...this.#jobs.values()].reverse();
    await Promise.all(jobs.map((job) => job.stop()));
    for (const job of jobs) await job.finish();
  }
}
