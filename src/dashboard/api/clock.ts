/** The service's clock, learned from the `Date` of its answers: the reader's own may be minutes off. */
export class ServiceClock {
  #aheadMs = 0;

  learn(headers: Headers, now = Date.now()): void {
    const said = Date.parse(headers.get("date") ?? "");
    // The header counts whole seconds, so a difference below two of them may be none.
    if (!Number.isNaN(said)) this.#aheadMs = Math.abs(said - now) < 2000 ? 0 : said - now;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
