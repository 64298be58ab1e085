export { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/duration.ts";

/** A time as RFC 3339 in UTC with milliseconds, the form of every time on the wire. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
