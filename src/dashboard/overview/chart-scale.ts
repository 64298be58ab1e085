import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contract/timestamp.ts";
import { formatter } from "../text/formatter.ts";

/** Round values from 0 to at least `max`, three or four steps of 1, 2 or 5 times a power of ten; the last is the top. */
export function valueTicks(max: number): number[] {
  const rough = Math.max(max, 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 1);
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The buckets that get a label: those at a round local time (in milliseconds), as dense as `labelsMax` allows. */
export function labelledBuckets(starts: readonly number[], labelsMax: number): number[] {
  const [first = 0, second = first + DAY_MS] = starts;
  const step = second - first;
  if (step >= DAY_MS) return everyNth(starts, labelsMax);
  const sizes = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);
  for (const size of sizes.filter((each) => each >= step)) {
    const round = starts.flatMap((start, index) => (isRound(start, size) ? [index] : []));
    if (round.length > 0 && round.length <= labelsMax) return round;
  }
  return everyNth(starts, labelsMax);
}

/** True if the local time of day is a multiple of `size`. */
function isRound(at: number, size: number): boolean {
  const local = new Date(at);
  return (local.getHours() * HOUR_MS + local.getMinutes() * MINUTE_MS) % size === 0;
}

function everyNth(starts: readonly number[], labelsMax: number): number[] {
  const nth = Math.max(1, Math.ceil(starts.length / Math.max(1, labelsMax)));
  return starts.flatMap((_, index) => (index % nth === 0 ? [index] : []));
}

const minutes = formatter(() => new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }));
const days = formatter(() => new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }));
const both = formatter(
  () => new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
);

/** The label of a bucket below the chart: a time of day, or the day if it begins there. */
export function bucketLabel(start: number, bucketMs: number): string {
  if (bucketMs >= DAY_MS || (bucketMs > HOUR_MS && isRound(start, DAY_MS))) return days().format(start);
  return minutes().format(start);
}

export function bucketTitle(start: number, bucketMs: number): string {
  return bucketMs >= DAY_MS ? days().format(start) : both().format(start);
}
