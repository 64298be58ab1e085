/** The service's clock, derived from the `Date` of its answers, since the reader's own may be minutes off. */
export class ServiceClock {
  #aheadMs = 0;

  learn(headers: Headers, now = Date.now()): void {
    const said = Date.parse(headers.get("date") ?? "");
    // The header counts whole seconds, so a difference below two seconds may be none.
    if (!Number.isNaN(said)) this.#aheadMs = Math.abs(said - now) < 2000 ? 0 : said - now;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }
}
