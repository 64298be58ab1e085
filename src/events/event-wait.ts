import type { AccountNumber } from "#core/plant.ts";
import type { EventHub, Follower } from "./event-hub.ts";

/** A request that waits for events. */
export class EventWait implements Follower {
  #until = -1n;
  #after = 0n;
  #resolve: ((hasMore: boolean) => void) | undefined;
  #closed = false;

  constructor(
    private readonly hub: EventHub,
    readonly account: AccountNumber,
  ) {
    hub.follow(this);
  }

  /**
   * Resolves with true when there may be events after that number; with false when the time is over or the wait is
   * ended.
   */
  async next(after: bigint, waitMsMax: number): Promise<boolean> {
    if (this.#closed || this.hub.closed) return false;
    if (this.#until > after) return true;
    this.#after = after;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => this.#answer(false), waitMsMax);
      this.#resolve = (hasMore) => {
        clearTimeout(timer);
        resolve(hasMore);
      };
    });
  }

  wake(until: bigint): void {
    this.#until = until;
    if (until > this.#after) this.#answer(true);
  }

  /** Must be called when the request no longer waits. */
  close(): void {
    this.#closed = true;
    this.#answer(false);
    this.hub.unfollow(this);
  }

  #answer(hasMore: boolean): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(hasMore);
  }
}
