import type { Observer } from "#core/observer.ts";

/** The interval at which writes of other processes are looked for. Commits of this one are noticed at once. */
const LOOK_EVERY_MS = 200;

/** How far the feed may be read. */
export interface FeedHorizon {
  /** Every number up to this one is committed or never will be; undefined where `refresh` never waits. */
  readonly settled: bigint | undefined;
  /** Everything committed by this time is settled, on the clock of `performance.now()`. */
  readonly settledAt: number;
  /** Moves the horizon to the numbers given out by now. If running transactions hold it back, it resolves after the wait. */
  refresh(waitMsMax: number): Promise<bigint>;
}

/**
 * Tells listeners how far the feed may be read. It is `idle` while nobody listens. With the first listener it is `waiting`
 * for its next look for writes, then `looking`, then `waiting` again, until the last listener has left.
 */
export class FeedWatch {
  readonly #listeners = new Set<(until: bigint) => void>();
  #state: "idle" | "waiting" | "looking" = "idle";
  #timer: Timer | undefined;
  /** True if this process has committed something since the last look began. */
  #ownCommits = false;
  #wokenAt = 0n;
  /** The start of the first look since when some committed events have not been settled. */
  #behindSince: number | undefined;

  /** Looks for own commits are `ownLooksApartMs` apart. */
  constructor(
    private readonly horizon: FeedHorizon,
    private readonly observer: Pick<Observer, "failed" | "gauge">,
    private readonly ownLooksApartMs: number,
  ) {
    observer.gauge("plantstore_feed_lag_seconds", () => this.#lagMs() / 1000);
  }

  /** Calls `wake` with the last readable number whenever it may have grown. The returned function stops this. */
  listen(wake: (until: bigint) => void): () => void {
    this.#listeners.add(wake);
    if (this.#state === "idle") this.#lookAfter(0);
    return () => {
      this.#listeners.delete(wake);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** Called after each commit of this process. */
  committed(): void {
    if (this.#state === "idle" || this.#ownCommits) return;
    this.#ownCommits = true;
    if (this.#state === "waiting") this.#lookAfter(this.ownLooksApartMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#state = "idle";
    this.#behindSince = undefined;
  }

  /** The longest time for which a change may have been held back; 0 if none is. */
  #lagMs(): number {
    if (this.#behindSince === undefined) return 0;
    return Math.max(0, performance.now() - Math.max(this.#behindSince, this.horizon.settledAt));
  }

  #lookAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#state = "waiting";
    this.#timer = setTimeout(() => void this.#look(), delayMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#state = "looking";
    this.#ownCommits = false;
    const lookedAt = performance.now();
    this.#behindSince ??= lookedAt;
    try {
      const settled = await this.horizon.refresh(LOOK_EVERY_MS);
      if (this.horizon.settledAt >= lookedAt) this.#behindSince = undefined;
      if (settled > this.#wokenAt) {
        this.#wokenAt = settled;
        for (const wake of this.#listeners) wake(settled);
      }
    } catch (error) {
      this.observer.failed("event-feed", error);
    }
    // The last listener may have left meanwhile, and another one come.
    if (this.#state === "looking") this.#lookAfter(this.#ownCommits ? this.ownLooksApartMs : LOOK_EVERY_MS);
  }
}
