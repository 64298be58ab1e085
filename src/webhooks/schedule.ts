import { jittered } from "#core/jitter.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays after the first failure, the second, and so on: 10 attempts over 75 h 35 min. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
export const ATTEMPTS_MAX = DELAYS_MS.length + 1;
export const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;
/** An endpoint that fails for this long, with at least two failures 12 h apart, is disabled. */
const DISABLED_AFTER_MS = 5 * 24 * HOUR_MS;
/** An endpoint with this many failures in a row is paused. */
export const FAILURES_IN_A_ROW_MAX = 20;
/** An endpoint with this many events waiting for another attempt is paused. */
export const RETRIES_WAITING_MAX = 1000;

/**
 * How long after a failure the next attempt comes, × 0.8 to 1.2, and not before the receiver asked for it.
 *
 * @param failures of this event so far, at least 1; the longest delay stands for more than there are delays
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? 0;
  return Math.max(jittered(delay, random, 0.2), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}

/**
 * True at a failure if nothing has succeeded for 5 days, so that the first failure since the last success is that old.
 */
export function isGivenUp(failingSince: number, now: number): boolean {
  return now - failingSince >= DISABLED_AFTER_MS;
}
