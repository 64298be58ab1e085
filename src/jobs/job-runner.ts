import { inTime } from "#core/deadline.ts";
import { jittered } from "#core/jitter.ts";
import type { Job, LeaseRecords } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { JobLease } from "./job-lease.ts";

export interface JobRunnerOptions {
  readonly leases: LeaseRecords;
  readonly observer: Observer;
  /** Identifies this process as the holder of leases. */
  readonly holder?: string;
  /** A number from 0 to 1, which spreads the runs of many nodes. */
  readonly random?: () => number;
}

/** How long a stop waits for a run to end, and then as long again for the job to store what it holds in memory. */
const STOP_MS_MAX = 2000;

/** Runs jobs at their intervals until it is closed. Jobs are independent: each waits only for its own last run. */
export class JobRunner {
  readonly #jobs = new Map<string, ScheduledJob>();
  readonly #context: JobContext;
  readonly #stopping = new AbortController();

  constructor(options: JobRunnerOptions) {
    const { signal } = this.#stopping;
    this.#context = { random: Math.random, holder: crypto.randomUUID(), ...options, signal };
  }

  start(job: Job): void {
    if (this.#jobs.has(job.name)) throw new Error(`There are two jobs called ${job.name}`);
    this.#context.observer.jobAdded(job.name);
    this.#jobs.set(job.name, new ScheduledJob(job, this.#context));
  }

  /** Runs the job now, or once more as soon as the present run has ended. */
  wake(name: string): void {
    this.#jobs.get(name)?.wake();
  }

  /** Starts no further run, and tells the present ones to end. */
  stop(): void {
    this.#stopping.abort();
    for (const job of this.#jobs.values()) void job.stop();
  }

  /** Stops, and lets each job finish as soon as its own run has ended. A job that takes too long is reported, and left. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#jobs.values()].map((job) => job.finish()));
  }
}

interface JobContext extends Required<JobRunnerOptions> {
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

/** One job with its timer. At most one run is active. */
class ScheduledJob {
  readonly #lease: JobLease | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #finished: Promise<void> | undefined;
  #isWoken = false;

  constructor(
    private readonly job: Job,
    private readonly context: JobContext,
  ) {
    if (job.exclusive) this.#lease = new JobLease(job.name, context.leases, context.holder);
    this.#runAfter(this.#jittered(job.firstDelayMs ?? job.intervalMs));
  }

  wake(): void {
    this.#isWoken = true;
    if (!this.#running) this.#runAfter(0);
  }

  /** Resolves when no run is active, and none will follow; or when a run takes too long. */
  stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopped ??= this.#inTime("its run", async () => {
      await this.#running;
      await this.#lease?.release();
    });
    return this.#stopped;
  }

  finish(): Promise<void> {
    this.#finished ??= this.stop().then(() => this.#inTime("what is in memory", async () => this.job.finish?.()));
    return this.#finished;
  }

  #runAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (this.context.signal.aborted) return;
    this.#timer = setTimeout(() => {
      // A turn later, so that a job which wakes itself at once finds that it is running.
      this.#running = Promise.resolve().then(() => this.#runOnce());
    }, ms).unref();
  }

  async #runOnce(): Promise<void> {
    this.#isWoken = false;
    const delayMs = await this.#run();
    this.#running = undefined;
    this.#runAfter(this.#isWoken ? 0 : (delayMs ?? this.#jittered(this.job.intervalMs)));
  }

  async #run(): Promise<number | undefined> {
    const { name } = this.job;
    const { observer, signal } = this.context;
    const held = this.#lease ? await this.#lease.hold(signal).catch((error) => this.#failed(error)) : { signal };
    if (!held) return undefined;
    try {
      const delayMs = await this.job.run({ now: Date.now(), signal: held.signal });
      observer.jobEnded({ name });
      return typeof delayMs === "number" ? delayMs : undefined;
    } catch (error) {
      // A run that ends because the service stops has not failed.
      if (signal.aborted && error === held.signal.reason) return undefined;
      return this.#failed(error);
    } finally {
      this.#lease?.runEnded();
    }
  }

  async #inTime(what: string, act: () => Promise<void>): Promise<void> {
    const late = () => new Error(`The stop did not wait any longer for ${what}`);
    await inTime(act(), STOP_MS_MAX, late).catch((error) => this.#failed(error));
  }

  #failed(error: unknown): undefined {
    this.context.observer.jobEnded({ name: this.job.name, error });
  }

  /** Processes that started together must not stay in step. */
  #jittered(ms: number): number {
    return jittered(ms, this.context.random(), 0.2);
  }
}
