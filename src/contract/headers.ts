/** The response headers that a page of another origin may read (CORS, Access-Control-Expose-Headers). */
export const EXPOSED_HEADERS = [
  "Request-Id",
  "Plantstore-Version",
  "ETag",
  "Link",
  "Idempotent-Replayed",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "WWW-Authenticate",
  "Events-Cursor",
  "Preference-Applied",
] as const;

/** The headers of an answer by their names in small letters. */
interface ReadHeaders {
  get(name: string): string | null | undefined;
}

/** The format of dates that names no zone (RFC 9110, 5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * The delay in milliseconds that `Retry-After` (RFC 9110, 10.2.3: seconds, or a date) asks for; undefined if it names
 * none.
 */
export function retryAfterMs(headers: ReadHeaders, now: number): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Only a text that ends with GMT is a date here; the parser would accept nearly anything.
  const date = ASCTIME.test(value) ? `${value} GMT` : value;
  const at = date.endsWith("GMT") ? Date.parse(date) : Number.NaN;
  // Counted from the service's own clock if its answer has the time, since the two clocks may differ.
  const from = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(from) ? now : from));
}
