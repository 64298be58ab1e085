import type { LeaseRecords } from "#core/job.ts";

/**
 * The lease of an exclusive job. It is kept between runs that follow each other closely: a run takes it again only if less
 * than half of its time is left, so that a job with a short interval does not write at each run. During a run it is renewed
 * each third of its time. A run that outlasts its lease is aborted.
 */
export class JobLease {
  #heldUntil = 0;
  #renewal: Timer | undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly leases: LeaseRecords,
    private readonly holder: string,
    private readonly leaseMs = 30_000,
  ) {}

  /** Undefined if another process holds the lease; else a signal, aborted with `signal` or when the lease is lost. */
  async hold(signal: AbortSignal): Promise<{ readonly signal: AbortSignal } | undefined> {
    if (this.#msLeft() < this.leaseMs / 2 && !(await this.#acquire())) return undefined;
    const lost = new AbortController();
    this.#renewal = setInterval(() => {
      this.#renewing = this.#renew(lost);
    }, this.leaseMs / 3).unref();
    return { signal: AbortSignal.any([signal, lost.signal]) };
  }

  runEnded(): void {
    clearInterval(this.#renewal);
  }

  async release(): Promise<void> {
    // A renewal that is under way would take the lease again after its release.
    await this.#renewing;
    if (this.#msLeft() > 0) await this.leases.release({ name: this.name, holder: this.holder });
    this.#heldUntil = 0;
  }

  async #acquire(): Promise<boolean> {
    const askedAt = performance.now();
    const taken = await this.leases.acquire({ name: this.name, holder: this.holder, durationMs: this.leaseMs });
    this.#heldUntil = taken ? askedAt + this.leaseMs : 0;
    return taken;
  }

  /** A brief outage of the database does not end the run; a lease that expired or was taken by another does. */
  async #renew(lost: AbortController): Promise<void> {
    const taken = await this.#acquire().catch(() => this.#msLeft() > 0);
    if (!taken) lost.abort();
  }

  #msLeft(): number {
    return this.#heldUntil - performance.now();
  }
}
