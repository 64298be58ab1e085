const BASE_MS = 200;
const DELAY_MS_MAX = 10_000;

/**
 * The wait before the next try: full jitter over an exponential bound, as in "Exponential Backoff And Jitter"
 * (AWS Architecture Blog, 2015), after the wait that the service asked for. The jitter comes on top of `retryAfterMs`, so that
 * clients that were refused together do not come back together.
 *
 * @param triesFailed 1 after the first try
 * @param random a number from 0 to 1
 */
export function backoffMs(triesFailed: number, random: number, retryAfterMs = 0): number {
  return retryAfterMs + random * Math.min(DELAY_MS_MAX, BASE_MS * 2 ** (triesFailed - 1));
}

/**
 * The delay in milliseconds that `Retry-After` (RFC 9110, 10.2.3: seconds, or a date) asks for; undefined if it names
 * none.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Only a text that ends with GMT is a date here; the parser would accept nearly anything.
  const at = value.endsWith("GMT") ? Date.parse(value) : Number.NaN;
  // Counted from the service's own clock if its answer has the time, since the two clocks may differ.
  const from = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(from) ? now : from));
}
