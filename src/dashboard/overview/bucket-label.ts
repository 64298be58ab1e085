import type { UsageRange } from "#contract/dashboard.ts";

const FORMATS: Readonly<Record<UsageRange, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }),
  day: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }),
  month: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
};

/** When a bucket begins, as the reader writes it. */
export function bucketLabel(start: string, range: UsageRange): string {
  return FORMATS[range].format(new Date(start));
}
