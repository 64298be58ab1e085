import { z } from "zod";
import { DateTime } from "./fields.ts";

/**
 * Requests, and the plants that they created, counted by time.
 *
 * - `GET /usage?range=&from=&to=&token=&zone_minutes=`: 200 Usage
 */

/** The last 60 minutes by minute, 24 hours by hour, 7 days by 6 hours, or 30 days by day. */
const UsageRange = z.enum(["hour", "day", "week", "month"]);
export type UsageRange = z.infer<typeof UsageRange>;

export const UsageQuery = z.object({
  range: UsageRange.default("day"),
  /** A custom range instead of `range`: at most 60 days long, and at most 60 days old. */
  from: DateTime.transform(Date.parse).optional(),
  to: DateTime.transform(Date.parse).optional(),
  /** A token's id. By default all requests of the account, and the plants that its dashboard created. */
  token: z.string().optional(),
  /** The reader's zone, in minutes east of UTC. */
  zone_minutes: z.coerce.number().int().min(-840).max(840).default(0),
});

interface UsageTotals {
  /** The requests of programs, refused ones among them. An import is one, however many plants it creates. */
  readonly requests: number;
  /** Plants, also those that the dashboard created. */
  readonly created: number;
  /** Requests that were not refused and created nothing. */
  readonly other: number;
  /** Requests that were refused. */
  readonly errors: number;
  /** Milliseconds from a request's head to its answer; null if nothing was measured. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

export interface UsageBucket extends UsageTotals {
  readonly start: string;
  readonly end: string;
}

export interface Usage {
  /** Oldest first, without gaps. The last one may still be filling. */
  readonly buckets: readonly UsageBucket[];
  readonly totals: UsageTotals;
  /** The same figures as in `totals`. */
  readonly requests: number;
  /** The totals of the preceding time of the same length; null if its counts are no longer stored. */
  readonly before: UsageTotals | null;
  /** The errors of the whole range, the most frequent first, by the number of the Error shape. */
  readonly errors: readonly { readonly error: number; readonly count: number }[];
}
