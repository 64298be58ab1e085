import { z } from "zod";
import { DateTime, Time } from "./fields.ts";

/**
 * Requests counted by time.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /usage?range=&from=&to=&token=&zone_minutes=` | | 200 Usage; `zone_minutes`: the reader's zone, minutes east of UTC |
 */

/** The last 60 minutes by minute, 24 hours by hour, 7 days by 6 hours, or 30 days by day. */
export const UsageRange = z.enum(["hour", "day", "week", "month"]);
export type UsageRange = z.infer<typeof UsageRange>;

export const UsageQuery = z.object({
  range: UsageRange.default("day"),
  /** A custom range instead of `range`: at most 60 days long, and at most 60 days old. */
  from: DateTime.optional(),
  to: DateTime.optional(),
  /** A token's id. By default all requests of the account, and the plants that its dashboard created. */
  token: z.string().optional(),
  zone_minutes: z.coerce.number().int().min(-840).max(840).default(0),
});

const UsageTotals = z.object({ created: z.int(), other: z.int(), errors: z.int() });

/** Milliseconds from a request's head to its answer; null if nothing was measured. */
const Latency = z.object({ p50_ms: z.number().nullable(), p99_ms: z.number().nullable() });

const MeasuredTotals = z.object({ ...UsageTotals.shape, ...Latency.shape });

export const UsageBucket = z.object({ start: Time, end: Time, ...MeasuredTotals.shape });
export type UsageBucket = z.infer<typeof UsageBucket>;

export const Usage = z.object({
  /** Oldest first, without gaps. The last one may still be filling. */
  buckets: z.array(UsageBucket),
  totals: MeasuredTotals,
  /** The requests of the whole range. An import is one, however many plants it creates. */
  requests: z.int(),
  /** The totals of the preceding time of the same length; null if its counts are no longer stored. */
  before: MeasuredTotals.nullable(),
  /** The errors of the whole range, the most frequent first, by the number of the Error shape. */
  errors: z.array(z.object({ error: z.int(), count: z.int() })),
});
export type Usage = z.infer<typeof Usage>;
