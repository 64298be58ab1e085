import { type Usage, UsageQuery, type UsageRange } from "#contract/dashboard/usage.ts";
import { timestamp } from "#contract/timestamp.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";
import { Failure } from "#core/failure.ts";
import {
  isRefusal,
  type LatencySlice,
  OUTCOME_CREATED,
  USAGE_KEPT_MS,
  type UsageInterval,
  type UsageSlice,
} from "#core/usage.ts";
import { latencyQuantile } from "../latency.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

const RANGE_MS_MAX = 60 * DAY_MS;

/** The division of counts for a chart: `count` buckets of `ms` each, summed from counts per `span`. */
interface Cut {
  readonly span: UsageInterval;
  readonly ms: number;
  readonly count: number;
}

const CUTS: Readonly<Record<UsageRange, Cut>> = {
  hour: { span: "minute", ms: MINUTE_MS, count: 60 },
  day: { span: "hour", ms: HOUR_MS, count: 24 },
  week: { span: "hour", ms: 6 * HOUR_MS, count: 28 },
  month: { span: "hour", ms: DAY_MS, count: 30 },
};

export async function usagePage({ reads }: PageParts, { account, search }: PageRequest) {
  const now = Date.now();
  const { range, from, to, token, zone_minutes } = readQuery(search, UsageQuery);
  const cut = from === undefined ? CUTS[range] : ownCut(from, to ?? now, now);
  const last = from === undefined || to === undefined ? now : Math.min(to - 1, now);
  const starts = bucketStarts(cut, zone_minutes, { first: from, last });
  const [first = 0] = starts;
  const before = first - cut.ms * starts.length;
  const [counts, times] = await Promise.all([
    reads.usage.read(account, { span: cut.span, from: before, token }),
    reads.usage.readLatencies(account, { span: cut.span, from: before, token }),
  ]);
  const current = counts.filter(({ start }) => start >= first && start <= last);
  const latencies = times.filter(({ start }) => start >= first && start <= last);
  const earlier = ({ start }: { readonly start: number }) => start < first;
  const kept = before >= now - USAGE_KEPT_MS[cut.span];
  return {
    buckets: intoBuckets(starts, cut.ms, current, latencies),
    totals: figures(current, latencies),
    requests: requestsOf(latencies),
    before: kept ? figures(counts.filter(earlier), times.filter(earlier)) : null,
    errors: errorsOf(current),
  } satisfies Usage;
}

/**
 * The start of each bucket, oldest first: from that of the first time, if one is given, to that of the last. Buckets of six
 * hours and of a day start at a local time of the reader's zone.
 */
function bucketStarts(
  { ms, count }: Pick<Cut, "ms" | "count">,
  zoneMinutes: number,
  { first, last }: { readonly first: number | undefined; readonly last: number },
): number[] {
  const offset = ms > HOUR_MS ? zoneMinutes * MINUTE_MS : 0;
  const startOf = (at: number) => at - ((at + offset) % ms);
  const newest = startOf(last);
  const length = first === undefined ? count : (newest - startOf(first)) / ms + 1;
  return Array.from({ length }, (_, index) => newest - (length - 1 - index) * ms);
}

/** Buckets for a custom range: the finest that are stored for that long and are at most 90. */
function ownCut(from: number, to: number, now: number): Cut {
  const lengthMs = to - from;
  if (!(lengthMs > 0 && lengthMs <= RANGE_MS_MAX) || from < now - RANGE_MS_MAX - DAY_MS) {
    throw new Failure("address-malformed", '"from" and "to" must be in order and within the last 60 days');
  }
  const minutes = from > now - USAGE_KEPT_MS.minute + HOUR_MS;
  const sizes = minutes ? [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] : [HOUR_MS, 6 * HOUR_MS];
  // One bucket more where neither its beginning nor its end is that of one.
  const ms = sizes.find((size) => lengthMs / size <= 89) ?? DAY_MS;
  return { span: minutes && ms < HOUR_MS ? "minute" : "hour", ms, count: Math.ceil(lengthMs / ms) };
}

function intoBuckets(
  starts: readonly number[],
  ms: number,
  counts: readonly UsageSlice[],
  latencies: readonly LatencySlice[],
): Usage["buckets"] {
  const [first = 0] = starts;
  const bucketOf = ({ start }: { readonly start: number }) => first + Math.floor((start - first) / ms) * ms;
  const countsByStart = Map.groupBy(counts, bucketOf);
  const latenciesByStart = Map.groupBy(latencies, bucketOf);
  return starts.map((start) => ({
    start: timestamp(start),
    end: timestamp(start + ms),
    ...figures(countsByStart.get(start) ?? [], latenciesByStart.get(start) ?? []),
  }));
}

function figures(counts: readonly UsageSlice[], times: readonly LatencySlice[]): Usage["totals"] {
  const buckets = times.map(({ bucket, count }) => [bucket, count] as const);
  const [p50_ms, p99_ms] = [latencyQuantile(buckets, 0.5), latencyQuantile(buckets, 0.99)];
  return { requests: requestsOf(times), ...totals(counts), p50_ms, p99_ms };
}

/** The sums of created plants, of refused requests, and of all other requests. */
export function totals(counts: readonly UsageSlice[]): { created: number; other: number; errors: number } {
  const sum = { created: 0, other: 0, errors: 0 };
  for (const { outcome, count } of counts) {
    if (outcome === OUTCOME_CREATED) sum.created += count;
    else if (isRefusal(outcome)) sum.errors += count;
    else sum.other += count;
  }
  return sum;
}

/** The number of requests: each has one response time, also an import of many plants. */
export function requestsOf(times: readonly LatencySlice[]): number {
  return times.reduce((sum, { count }) => sum + count, 0);
}

/** The number of answers with each error, the most frequent first. */
export function errorsOf(counts: readonly UsageSlice[]): { error: number; count: number }[] {
  const byError = new Map<number, number>();
  for (const { outcome, count } of counts) {
    if (isRefusal(outcome)) byError.set(outcome, (byError.get(outcome) ?? 0) + count);
  }
  return [...byError].map(([error, count]) => ({ error, count })).sort((a, b) => b.count - a.count);
}
