import { jittered } from "#core/jitter.ts";
import { RETRIES } from "#load/limits.ts";
import type { EndpointHealth } from "#storage/webhook-progress.ts";
import type { AttemptResult } from "./attempt.ts";

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
/** An endpoint is disabled by a failure if its first one since the last success is this old. */
const DISABLED_AFTER_MS = 5 * 24 * HOUR_MS;
/** An endpoint with this many failures in a row is paused. */
export const FAILURES_IN_A_ROW_MAX = 20;
const GONE = 410;
/** With one of these statuses, `Retry-After` speaks for the whole receiver (RFC 6585, 4; RFC 9110, 15.6.4). */
const THROTTLED: ReadonlySet<number | undefined> = new Set([429, 503]);

/**
 * How long after a failure the next attempt comes, × 0.8 to 1.2, and not before the receiver asked for it.
 *
 * @param failures so far, at least 1; the longest delay stands for more than there are delays
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? 0;
  return Math.round(Math.max(jittered(delay, random, 0.2), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}

export const HEALTHY: EndpointHealth = {
  status: "enabled",
  reason: undefined,
  failingSince: undefined,
  failures: 0,
  notBefore: 0,
};

/** A success resumes a paused endpoint at once. To one that is not paused the receiver's `Retry-After` still applies. */
export function afterSuccess({ status, notBefore }: EndpointHealth): EndpointHealth {
  return { ...HEALTHY, notBefore: status === "paused" ? 0 : notBefore };
}

export interface FailedAttempt extends Pick<AttemptResult, "httpStatus" | "retryAfterMs"> {
  /** True for an attempt that was begun while the endpoint was paused. */
  readonly isProbe: boolean;
  /** The events that wait for another attempt. */
  readonly retriesWaiting: number;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * One failure too many pauses an endpoint, which is then probed on the schedule of a single event, and 5 days of failure
 * disable it. Attempts that were under way when it was paused are no probes.
 */
export function afterFailure(before: EndpointHealth, attempt: FailedAttempt): EndpointHealth {
  const { httpStatus, retryAfterMs = 0, isProbe, retriesWaiting, now, random } = attempt;
  const isLate = before.status === "paused" && !isProbe;
  const failures = before.failures + (isLate ? 0 : 1);
  const failingSince = before.failingSince ?? now;
  const heldUntil = THROTTLED.has(httpStatus) ? now + Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : 0;
  const notBefore = Math.max(before.notBefore, heldUntil);
  const failing = { reason: "failing", failingSince, failures, notBefore } as const;
  if (httpStatus === GONE) return { ...failing, status: "disabled", reason: "gone" };
  if (now - failingSince >= DISABLED_AFTER_MS) return { ...failing, status: "disabled" };
  const isPaused = before.status === "paused" || failures >= FAILURES_IN_A_ROW_MAX || retriesWaiting >= RETRIES.each;
  if (!isPaused) return { ...failing, status: "enabled", reason: undefined };
  if (isLate) return { ...failing, status: "paused" };
  const counted = Math.max(failures, FAILURES_IN_A_ROW_MAX);
  const probeAt = now + retryDelayMs(counted - FAILURES_IN_A_ROW_MAX + 1, random, retryAfterMs);
  return { ...failing, status: "paused", failures: counted, notBefore: Math.max(notBefore, probeAt) };
}
