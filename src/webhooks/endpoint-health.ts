import { DAY_MS, MINUTE_MS } from "#core/duration.ts";
import { jittered } from "#core/jitter.ts";
import { WEBHOOKS } from "#load/limit-groups.ts";
import type { EndpointHealth } from "#storage/webhook-outcomes.ts";
import type { AttemptResult } from "./attempt.ts";

export const RETRIES = WEBHOOKS.row("deliveries to repeat", "endpoint", { each: 1000 }, "paused");

/**
 * The delays after the first failure, the second, and so on, in seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h,
 * and a day. These are 10 attempts over 75 h 35 min.
 */
const DELAYS_S = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
export const ATTEMPTS_MAX = DELAYS_S.length + 1;
export const RETRY_AFTER_MS_MAX = DAY_MS;
/** An endpoint is disabled by a failure if its first one since the last success is this old. */
const DISABLED_AFTER_MS = 5 * DAY_MS;
/** An endpoint with this many failures in a row is paused. */
export const FAILURES_IN_A_ROW_MAX = 20;
/** A paused endpoint is tried so long after a failure, or when its receiver asked for it. */
const PROBED_AFTER_MS = 2 * MINUTE_MS;
/** Statuses whose `Retry-After` applies to the whole receiver (RFC 6585, 4; RFC 9110, 15.6.4). */
const THROTTLED: ReadonlySet<number | undefined> = new Set([429, 503]);

/**
 * How long after a failure the next attempt comes, × 0.8 to 1.2, and not before the receiver asked for it.
 *
 * @param failures so far, at least 1; the longest delay stands for more than there are delays
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const delayMs = 1000 * (DELAYS_S[Math.min(failures, DELAYS_S.length) - 1] ?? 0);
  return Math.round(Math.max(jittered(delayMs, random, 0.2), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}

/** False also for a time that lies further ahead than any wait: it was set by a clock that was wrong. */
export function mustWait(until: number, now: number): boolean {
  return until > now && until <= now + 2 * RETRY_AFTER_MS_MAX;
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
}

/**
 * One failure too many pauses an endpoint, which is then probed every 2 minutes, and 5 days of failure disable it. Attempts that were under way when it was paused are no probes.
 */
export function afterFailure(before: EndpointHealth, attempt: FailedAttempt): EndpointHealth {
  const { httpStatus, retryAfterMs = 0, isProbe, retriesWaiting, now } = attempt;
  const isLate = before.status === "paused" && !isProbe;
  const failures = before.failures + (isLate ? 0 : 1);
  const failingSince = Math.min(before.failingSince ?? now, now);
  const heldUntil = THROTTLED.has(httpStatus) ? now + Math.min(retryAfterMs, RETRY_AFTER_MS_MAX) : 0;
  const notBefore = Math.max(mustWait(before.notBefore, now) ? before.notBefore : 0, heldUntil);
  const failing = { reason: "failing", failingSince, failures, notBefore } as const;
  if (httpStatus === 410) return { ...failing, status: "disabled", reason: "gone" };
  if (now - failingSince >= DISABLED_AFTER_MS) return { ...failing, status: "disabled" };
  const isPaused = before.status === "paused" || failures >= FAILURES_IN_A_ROW_MAX || retriesWaiting >= RETRIES.each;
  if (!isPaused) return { ...failing, status: "enabled", reason: undefined };
  if (isLate) return { ...failing, status: "paused" };
  const counted = Math.max(failures, FAILURES_IN_A_ROW_MAX);
  const probeAt = now + Math.max(PROBED_AFTER_MS, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
  return { ...failing, status: "paused", failures: counted, notBefore: Math.max(notBefore, probeAt) };
}
