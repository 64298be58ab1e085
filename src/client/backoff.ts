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
