export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIT_MS = new Map([
  ["s", 1000],
  ["m", MINUTE_MS],
  ["h", HOUR_MS],
  ["d", DAY_MS],
  ["w", 7 * DAY_MS],
]);

/** A whole number of up to seven digits and `s`, `m` (minutes), `h`, `d` or `w`. Settings, options and bodies all use it. */
export const DURATION_PATTERN = "(?:0|[1-9][0-9]{0,6})[smhdw]";
export const DURATION_FORMS = "a time such as 90s, 30m, 24h, 7d or 2w";

const DURATION = new RegExp(`^${DURATION_PATTERN}$`);

/** A duration in milliseconds. Undefined for any text that is none. */
export function parseDuration(text: string): number | undefined {
  return DURATION.test(text) ? Number(text.slice(0, -1)) * (UNIT_MS.get(text.slice(-1)) ?? 0) : undefined;
}
