import { STRANGERS, STRANGERS_LATE } from "#load/limits.ts";
import { MemoryCounts } from "#load/throttle.ts";

/**
 * Slows down anonymous requests when there are many: beyond some answers a second to requests without a token or a
 * session, each is held back for a moment. None is refused, so a person who signs in during a flood waits a little
 * longer, and a flood of clients that wait for their answers leaves the processor to the accounts.
 */
export class AnonymousThrottle {
  readonly #answers = new MemoryCounts();
  #held = 0;

  /**
   * The delay of the answer to an anonymous request, in milliseconds; `endedAt` is on the clock of performance.now().
   */
  delayMs(endedAt: number): number {
    const { isAdded } = this.#answers.add(STRANGERS, "", 1, endedAt);
    return isAdded || this.#held >= STRANGERS_LATE.all ? 0 : STRANGERS_LATE.lateMs;
  }

  /** Calls `send` after that time. */
  hold(delayMs: number, send: () => void): void {
    this.#held++;
    setTimeout(() => {
      this.#held--;
      send();
    }, delayMs);
  }
}
