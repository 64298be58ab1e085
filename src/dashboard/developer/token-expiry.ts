const DAY_MS = 24 * 3600 * 1000;

export const EXPIRY_CHOICES = [
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "never", label: "Never" },
  { value: "date", label: "Custom date" },
];

/**
 * The expiry as RFC 3339, or null for never. A date means the end of that day in the reader's zone. Throws if it is
 * missing or past.
 */
export function expiryTime(choice: string, date: string, now: number): string | null {
  if (choice === "never") return null;
  if (choice !== "date") return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  if (Number.isNaN(end.getTime()) || end.getTime() <= now) throw new RangeError("Choose a date in the future");
  return end.toISOString();
}
