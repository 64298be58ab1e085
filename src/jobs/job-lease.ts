import type { LeaseStore } from "#core/job.ts";

const LEASE_MS = 30_000;

/**
 * The lease of an exclusive job. It is held between runs that follow each other closely, and renewed when half of it
 * has passed, so that a job with a short interval does not write at each run. A run that outlasts its lease is aborted.
 */
export class JobLease {
  readonly #name: string;
  readonly #leases: LeaseStore;
  readonly #holder: string;
  #heldUntil = 0;
  #renewal: Timer | undefined;

  constructor(name: string, leases: LeaseStore, holder: string) {
    this.#name = name;
    this.#leases = leases;
    this.#holder = holder;
  }

  /**
   * Undefined if another process holds the lease; otherwise a signal that is aborted with `signal`, or when the lease
   * is lost.
   */
  async hold(signal: AbortSignal): Promise<{ readonly signal: AbortSignal } | undefined> {
    if (this.#msLeft() < LEASE_MS / 2 && !(await this.#take())) return undefined;
    const lost = new AbortController();
    this.#renewal = setInterval(() => void this.#renew(lost), LEASE_MS / 3).unref();
    return { signal: AbortSignal.any([signal, lost.signal]) };
  }

  runEnded(): void {
    clearInterval(this.#renewal);
  }

  async release(): Promise<void> {
    if (this.#msLeft() > 0) await this.#leases.release({ name: this.#name, holder: this.#holder });
    this.#heldUntil = 0;
  }

  async #take(): Promise<boolean> {
    const askedAt = performance.now();
    const taken = await this.#leases.take({ name: this.#name, holder: this.#holder, durationMs: LEASE_MS });
    this.#heldUntil = taken ? askedAt + LEASE_MS : 0;
    return taken;
  }

  /** A brief outage of the store does not end the run; a lease that expired or was taken by another does. */
  async #renew(lost: AbortController): Promise<void> {
    const taken = await this.#take().catch(() => this.#msLeft() > 0);
    if (!taken) lost.abort();
  }

  #msLeft(): number {
    return this.#heldUntil - performance.now();
  }
}
