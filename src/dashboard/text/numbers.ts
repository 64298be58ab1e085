import { counted as countedIn } from "#contract/counted.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#contract/timestamp.ts";
import { formatter } from "./formatter.ts";

const whole = formatter(() => new Intl.NumberFormat());
const percent = formatter(() => new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 }));

/** Formats for the reader's locale. Not for ids. */
export function formatNumber(value: number): string {
  return whole().format(value);
}

export function formatShare(value: number): string {
  return percent().format(value);
}

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

export function formatBytes(bytes: number): string {
  let power = 0;
  // Decided by the rounded figure, so that "1,000 kB" never appears.
  while (power < BYTE_UNITS.length - 1 && Math.round((10 * bytes) / 1000 ** power) >= 10_000) power++;
  const unit = BYTE_UNITS[power] ?? "byte";
  const format = new Intl.NumberFormat(undefined, {
    style: "unit",
    unit,
    // "42 bytes", since the short form would be "42 byte".
    unitDisplay: unit === "byte" ? "long" : "short",
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1000 ** power);
}

/** "1 plant", "2,000 plants". */
export function counted(count: number, noun: string): string {
  return countedIn(count, noun, formatNumber);
}

const LONG_UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
] as const;

/** "0.8 ms", "12 ms", "1.2 s" or "3 minutes"; a dash if nothing was measured. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  for (const [unit, length] of LONG_UNITS) if (ms >= length) return counted(Math.round(ms / length), unit);
  if (ms >= 999.5) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 9.95 || Number.isInteger(ms) ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
