import type { EventStore, PlantEvent } from "#core/event.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventMarks } from "../event-marks.ts";
import { PostgresEventReader } from "./event-reader.ts";
import type { Horizon } from "./horizon.ts";
import type { Pool } from "./pool.ts";

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

export class PostgresEvents implements EventStore {
  readonly #horizon: Horizon;
  readonly #reader: PostgresEventReader;
  readonly #marks: EventMarks;
  readonly #observer: Observer;
  readonly #listeners = new Set<(until: bigint) => void>();
  #timer: Timer | undefined;
  #looking = false;
  #ownCommits = false;
  #wokenAt = 0n;
  /** The start of the first look since when some committed events have not been settled. */
  #behindSince: number | undefined;

  constructor(pool: Pool, marks: EventMarks, horizon: Horizon, observer: Observer) {
    this.#horizon = horizon;
    this.#reader = new PostgresEventReader(pool);
    this.#marks = marks;
    this.#observer = observer;
    observer.gauge({ name: "feed_lag_seconds", read: () => this.#lagMs() / 1000 });
  }

  /** Called after each commit of this node. */
  committed(): void {
    if (this.#timer === undefined || this.#ownCommits) return;
    this.#ownCommits = true;
    if (!this.#looking) this.#lookAfter(OWN_LOOKS_APART_MS);
  }

  find(account: AccountNumber, number: bigint): Promise<PlantEvent | undefined> {
    return this.#reader.find(account, number);
  }

  oldest(): Promise<bigint> {
    return this.#marks.expired();
  }

  latest(waitMsMax = LATEST_WAIT_MS_MAX): Promise<bigint> {
    return this.#horizon.refresh(waitMsMax);
  }

  get settled(): bigint {
    return this.#horizon.settled;
  }

  async recent(): Promise<bigint> {
    if (this.#horizon.settled === 0n) return this.#horizon.refresh(WAIT_MS_MAX);
    if (performance.now() - this.#horizon.settledAt > RECENT_MS) {
      // A horizon that is held back must not delay every list; an older one is just as correct.
      await Promise.race([this.#horizon.refresh(WAIT_MS_MAX), Bun.sleep(RECENT_WAIT_MS_MAX)]);
    }
    return this.#horizon.settled;
  }

  touched(accounts: readonly AccountNumber[], after: bigint, until: bigint): Promise<AccountNumber[]> {
    return this.#reader.touched(accounts, after, until);
  }

  listen(wake: (until: bigint) => void): () => void {
    this.#listeners.add(wake);
    if (this.#timer === undefined) this.#lookAfter(0);
    return () => {
      this.#listeners.delete(wake);
      if (this.#listeners.size === 0) this.close();
    };
  }

  async expire(now: number, keptMs: number): Promise<boolean> {
    return this.#marks.expire(now, keptMs, await this.#horizon.refresh(WAIT_MS_MAX));
  }

  async turn(on: boolean): Promise<void> {
    await this.#marks.turn(on, await this.#horizon.refresh(WAIT_MS_MAX));
  }

  removeAll(account: AccountNumber): Promise<void> {
    return this.#marks.removeAll(account);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#behindSince = undefined;
  }

  /** The longest time for which a change may have been held back; 0 if none is. */
  #lagMs(): number {
    if (this.#behindSince === undefined) return 0;
    return performance.now() - Math.max(this.#behindSince, this.#horizon.settledAt);
  }

  #lookAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delayMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#ownCommits = false;
    const lookedAt = performance.now();
    this.#behindSince ??= lookedAt;
    try {
      const settled = await this.#horizon.refresh(LOOK_EVERY_MS);
      if (this.#horizon.settledAt >= lookedAt) this.#behindSince = undefined;
      if (settled > this.#wokenAt) {
        this.#wokenAt = settled;
        for (const wake of this.#listeners) wake(settled);
      }
    } catch (error) {
      this.#observer.failed("event-feed", error);
    }
    this.#looking = false;
    if (this.#listeners.size > 0) this.#lookAfter(this.#ownCommits ? OWN_LOOKS_APART_MS : LOOK_EVERY_MS);
  }
}
