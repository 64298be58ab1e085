import type { WebhookReason, WebhookStatus } from "#core/webhook.ts";
import { FAILURES_IN_A_ROW_MAX, isGivenUp, RETRIES_WAITING_MAX } from "./schedule.ts";

const GONE = 410;

export interface HealthState {
  readonly status: WebhookStatus;
  readonly reason: WebhookReason | undefined;
  /** The first failure since the last success. */
  readonly failingSince: number | undefined;
  /** Failed attempts since the last success. */
  readonly failures: number;
}

/**
 * The states of an endpoint: one failure too many pauses it, the first success resumes it, and 5 days of failure
 * disable it.
 */
export function afterSuccess(): HealthState {
  return { status: "enabled", reason: undefined, failingSince: undefined, failures: 0 };
}

export function afterFailure(
  before: HealthState,
  { httpStatus, retriesWaiting, now }: { httpStatus: number | undefined; retriesWaiting: number; now: number },
): HealthState {
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? now;
  const failing = { reason: "failing", failingSince, failures } as const;
  if (httpStatus === GONE) return { ...failing, status: "disabled", reason: "gone" };
  if (isGivenUp(failingSince, now)) return { ...failing, status: "disabled" };
  const isPaused =
    before.status === "paused" || failures >= FAILURES_IN_A_ROW_MAX || retriesWaiting >= RETRIES_WAITING_MAX;
  return isPaused ? { ...failing, status: "paused" } : { ...failing, status: "enabled", reason: undefined };
}
