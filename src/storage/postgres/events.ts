import type { Observer } from "#core/observer.ts";
import type { DatabaseAccess } from "../database-access.ts";
import { Events } from "../events.ts";
import type { Horizon } from "./horizon.ts";

/**
 * The interval at which writes of other nodes are looked for while there are listeners. Commits of this node are
 * noticed at once.
 */
const LOOK_EVERY_MS = 200;
const OWN_LOOKS_APART_MS = 40;
/**
 * The maximum wait of a reader for a transaction that holds the horizon back. After it, the reader gets the settled
 * events.
 */
const WAIT_MS_MAX = 2000;
/** "From now on" is right only once the horizon has moved, so this wait is longer. */
const LATEST_WAIT_MS_MAX = 5000;
/** The maximum age of the answer of `recent`, and its maximum wait for a newer one. */
const RECENT_MS = 1000;
const RECENT_WAIT_MS_MAX = 50;

export class PostgresEvents extends Events {
  #looking = false;
  #ownCommits = false;
  #wokenAt = 0n;
  /** The start of the first look since when some committed events have not been settled. */
  #behindSince: number | undefined;

  constructor(
    access: DatabaseAccess,
    private readonly horizon: Horizon,
    private readonly observer: Observer,
  ) {
    super(access);
    observer.gauge({ name: "feed_lag_seconds", read: () => this.#lagMs() / 1000 });
  }

  /** Called after each commit of this node. */
  committed(): void {
    if (this.timer === undefined || this.#ownCommits) return;
    this.#ownCommits = true;
    if (!this.#looking) this.#lookAfter(OWN_LOOKS_APART_MS);
  }

  latest(waitMsMax = LATEST_WAIT_MS_MAX): Promise<bigint> {
    return this.horizon.refresh(waitMsMax);
  }

  get settled(): bigint {
    return this.horizon.settled;
  }

  async recent(): Promise<bigint> {
    if (this.horizon.settled === 0n) return this.horizon.refresh(WAIT_MS_MAX);
    if (performance.now() - this.horizon.settledAt > RECENT_MS) {
      // A horizon that is held back must not delay every list; an older one is just as correct.
      await Promise.race([this.horizon.refresh(WAIT_MS_MAX), Bun.sleep(RECENT_WAIT_MS_MAX)]);
    }
    return this.horizon.settled;
  }

  override close(): void {
    super.close();
    this.#behindSince = undefined;
  }

  protected startLooking(): void {
    this.#lookAfter(0);
  }

  /** The longest time for which a change may have been held back; 0 if none is. */
  #lagMs(): number {
    if (this.#behindSince === undefined) return 0;
    return performance.now() - Math.max(this.#behindSince, this.horizon.settledAt);
  }

  #lookAfter(delayMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.#look(), delayMs);
    this.timer.unref();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#ownCommits = false;
    const lookedAt = performance.now();
    this.#behindSince ??= lookedAt;
    try {
      const settled = await this.horizon.refresh(LOOK_EVERY_MS);
      if (this.horizon.settledAt >= lookedAt) this.#behindSince = undefined;
      if (settled > this.#wokenAt) {
        this.#wokenAt = settled;
        this.wake(settled);
      }
    } catch (error) {
      this.observer.failed("event-feed", error);
    }
    this.#looking = false;
    if (this.hasListeners) this.#lookAfter(this.#ownCommits ? OWN_LOOKS_APART_MS : LOOK_EVERY_MS);
  }
}
