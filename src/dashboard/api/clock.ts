let aheadMs = 0;

/** Learns the service's clock from an answer's `Date`: the reader's own may be minutes off. */
export function learnClock(headers: Headers, now = Date.now()): void {
  const said = Date.parse(headers.get("date") ?? "");
  // The header counts whole seconds; less than two of difference is no difference.
  if (!Number.isNaN(said)) aheadMs = Math.abs(said - now) < 2000 ? 0 : said - now;
}

/** The time at the service, in milliseconds since 1970. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}
