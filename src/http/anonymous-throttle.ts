/** The limit in one second; everyday use by people and monitors stays far below it. */
const AT_ONCE_MAX = 500;
/** With this delay a client that waits for its answers sends at most five requests a second on each connection. */
const HELD_MS = 200;
/** At most this many answers are held in memory. */
const HELD_MAX = 10_000;

/**
 * Slows down anonymous requests when there are many: beyond some answers a second to requests without a token or a
 * session, each is held back for a moment. None is refused, so a person who signs in during a flood waits a little
 * longer, and a flood of clients that wait for their answers leaves the processor to the accounts.
 */
export class AnonymousThrottle {
  #second = 0;
  #answers = 0;
  #held = 0;

  /**
   * The delay of the answer to an anonymous request, in milliseconds; `endedAt` is on the clock of performance.now().
   */
  delayMs(endedAt: number): number {
    const second = Math.floor(endedAt / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#answers = 0;
    }
    return ++this.#answers > AT_ONCE_MAX && this.#held < HELD_MAX ? HELD_MS : 0;
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
