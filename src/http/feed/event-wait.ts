import type { AccountNumber } from "#core/plant.ts";
import type { EventHub, Follower } from "./event-hub.ts";

/** A request that waits for events. */
export class EventWait implements Follower {
  #until = -1n;
  #after = 0n;
  #answer: (hasMore: boolean) => void = () => {};
  #closed = false;

  constructor(
    private readonly hub: EventHub,
    readonly account: AccountNumber,
  ) {
    hub.follow(this);
  }

  /** Resolves with true when there may be events after that number; with false after `waitMsMax`, or once it is closed. */
  async next(after: bigint, waitMsMax: number): Promise<boolean> {
    if (this.#closed || this.hub.closed) return false;
    if (this.#until > after) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), waitMsMax);
    [this.#after, this.#answer] = [after, resolve];
    return promise.finally(() => clearTimeout(timer));
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
}
