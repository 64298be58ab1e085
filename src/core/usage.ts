import { DAY_MS, HOUR_MS, MINUTE_MS } from "./duration.ts";
import type { AccountNumber } from "./plant.ts";

/**
 * The outcome by which an answer is counted: 1 for each plant created, 0 for any other answer below 400, otherwise the
 * error's number.
 */
export type UsageOutcome = number;
export const OUTCOME_CREATED = 1;
export const OUTCOME_OTHER = 0;

export function isRefusal(outcome: UsageOutcome): boolean {
  return outcome > OUTCOME_CREATED;
}

export interface UsageCount {
  readonly account: AccountNumber;
  /** Undefined for counts of the account as a whole. */
  readonly token: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly outcome: UsageOutcome;
  readonly count: number;
}

/** Requests whose response times fell into one bucket (`LATENCY_BUCKETS` of http). */
export interface LatencyCount extends Omit<UsageCount, "outcome"> {
  readonly version: string;
  readonly bucket: number;
}

export interface LatencySlice {
  readonly start: number;
  readonly bucket: number;
  readonly count: number;
}

/** The length of a counting interval. Minutes are stored for two days, hours for two months. */
export type UsageInterval = "minute" | "hour";
export const USAGE_INTERVAL_MS: Readonly<Record<UsageInterval, number>> = { minute: MINUTE_MS, hour: HOUR_MS };
export const USAGE_KEPT_MS: Readonly<Record<UsageInterval, number>> = { minute: 2 * DAY_MS, hour: 62 * DAY_MS };

export interface UsageQuery {
  readonly span: UsageInterval;
  /** Only intervals that start at or after this time, in milliseconds since 1970. */
  readonly from: number;
  /** A token's id; undefined for the whole account. */
  readonly token?: string;
}

export interface UsageSlice {
  readonly start: number;
  readonly outcome: UsageOutcome;
  readonly count: number;
}
