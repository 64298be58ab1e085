import { type FocusEvent, useEffect, useReducer } from "react";
import { useService } from "../program/page-context.tsx";
import { formatter } from "../text/formatter.ts";
import { useHint } from "./hint.tsx";

const UNITS = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
] as const;

// The pages are in English, and so are their dates; the time zone is the reader's.
const relative = formatter(() => new Intl.RelativeTimeFormat("en", { numeric: "auto" }));
const exact = formatter(() => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" }));

/** "2 minutes ago", "in 12 days". */
export function relativeTime(ms: number, now: number): string {
  const seconds = Math.round((ms - now) / 1000);
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (!unit) return relative().format(0, "second");
  return relative().format(Math.round(seconds / unit[1]), unit[0]);
}

export function exactTime(at: string | number | Date): string {
  return exact().format(new Date(at));
}

function ExactTime({ at }: { readonly at: Date }) {
  return exactTime(at);
}

const DAY_MS = 24 * 3600 * 1000;
const date = formatter(() => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" }));
const clock = formatter(() => new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" }));
const day = formatter(() => new Intl.DateTimeFormat("en-GB", { dateStyle: "full" }));

/** The reader's day of a time, such as "Sunday, 22 November 2026". */
export function dayOf(at: string | Date): string {
  return day().format(new Date(at));
}

/** A time of a log, whose day stands above it: hours, minutes and seconds. */
export function ClockTime({ at }: { readonly at: string | Date }) {
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={exactTime(time)}>
      {clock().format(time)}
    </time>
  );
}

interface RelativeTimeProps {
  readonly at: string | Date;
  /** False in long tables, where a tab stop at each time would hinder the keyboard. */
  readonly focusable?: boolean;
  /** True for the date once it is older than a day. */
  readonly dated?: boolean;
}

/** A time relative to now, with the exact time on hover and focus. */
export function RelativeTime({ at, focusable = true, dated = false }: RelativeTimeProps) {
  const { clock } = useService();
  const [, renew] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(renew, 30_000);
    return () => clearInterval(timer);
  }, []);
  const time = new Date(at);
  const { open, props, hint } = useHint<HTMLTimeElement>(<ExactTime at={time} />);
  return (
    <>
      <time
        {...props}
        dateTime={time.toISOString()}
        {...(focusable ? { tabIndex: 0 } : {})}
        onPointerEnter={open}
        onFocus={({ currentTarget }: FocusEvent) => currentTarget.matches(":focus-visible") && open()}
      >
        {dated && clock.now() - time.getTime() > DAY_MS
          ? date().format(time)
          : relativeTime(time.getTime(), clock.now())}
      </time>
      {hint}
    </>
  );
}

export function OptionalTime({ at }: { readonly at: string | null }) {
  return at === null ? "Never" : <RelativeTime at={at} />;
}
