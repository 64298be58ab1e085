import { NativeSelect, TextInput } from "@mantine/core";
import { optionsOf } from "../components/filters.tsx";
import type { FormFields } from "../components/form.tsx";
import { useService } from "../program/page-context.tsx";

const DAY_MS = 24 * 3600 * 1000;

const CHOICES = {
  "7": "In 7 days",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In a year",
  never: "Never",
  date: "Custom date",
};

/** The choice of when a token ends: a number of days, "never", or "date" for the end of a day such as 2026-12-31. */
export interface TokenExpiry {
  readonly expiry: string;
  readonly date: string;
}

/**
 * The expiry as RFC 3339, or null for never. A date means the end of that day in the reader's zone. Throws if it is
 * missing or past.
 */
export function expiryTime({ expiry, date }: TokenExpiry, now: number): string | null {
  if (expiry === "never") return null;
  if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  if (Number.isNaN(end.getTime()) || end.getTime() <= now) throw new RangeError("Choose a date in the future");
  return end.toISOString();
}

interface TokenExpiryFieldProps {
  readonly form: FormFields<TokenExpiry>;
  readonly label?: string;
  /** Choices before the usual ones. */
  readonly before?: Readonly<Record<string, string>>;
}

/** The expiry of a token: after a time, on a date, or never. */
export function TokenExpiryField({ form, label = "Expires", before }: TokenExpiryFieldProps) {
  const { clock } = useService();
  return (
    <>
      <NativeSelect {...form.field("expiry", label)} data={[...optionsOf(before ?? {}), ...optionsOf(CHOICES)]} />
      {form.values.expiry === "date" && (
        <TextInput {...form.field("date", "Last day")} type="date" min={dayOf(clock.now())} required />
      )}
    </>
  );
}

/** The reader's own day, in the format of date fields. */
function dayOf(ms: number): string {
  // Swedish writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE").format(ms);
}
