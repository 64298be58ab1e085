export { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";

/** The last time that was written: plants that were created together come together in lists. */
let [lastMs, lastText] = [Number.NaN, ""];

/** A time as RFC 3339 in UTC with milliseconds, the form of every time on the wire. */
export function timestamp(ms: number): string {
  if (ms !== lastMs) [lastMs, lastText] = [ms, new Date(ms).toISOString()];
  return lastText;
}
