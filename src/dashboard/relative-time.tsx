import { Tooltip } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useReducer } from "react";
import { serviceNow } from "./api/clock.ts";

const UNITS = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;
const RENEWED_MS = 30_000;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** "2 minutes ago", "in 12 days", in the reader's language. */
export function relativeTime(ms: number, now: number): string {
  const seconds = Math.round((ms - now) / 1000);
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return relative.format(0, "second");
  return relative.format(Math.round(seconds / unit[1]), unit[0]);
}

interface RelativeTimeProps {
  readonly at: string | Date;
  /** Whether the exact time can be reached by keyboard here; not in long tables, whose rows open to show it. */
  readonly focusable?: boolean;
}

/** A time as it is from now, with the exact one on hover and focus. */
export function RelativeTime({ at, focusable = true }: RelativeTimeProps) {
  const [, renew] = useReducer((count: number) => count + 1, 0);
  useInterval(renew, RENEWED_MS, { autoInvoke: true });
  const time = new Date(at);
  const focus = focusable ? { tabIndex: 0 } : {};
  return (
    <Tooltip label={exact.format(time)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={time.toISOString()} {...focus}>
        {relativeTime(time.getTime(), serviceNow())}
      </time>
    </Tooltip>
  );
}
