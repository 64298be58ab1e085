/**
 * The delay in milliseconds that `Retry-After` (RFC 9110, 10.2.3: seconds, or a date) asks for; undefined if it names
 * none.
 */
export function retryAfterMs(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return 1000 * Number(text);
  const at = text.endsWith("GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
