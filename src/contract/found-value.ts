import { masked } from "#core/masked.ts";

export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return shortened(typeof value === "number" ? String(value) : JSON.stringify(value));
}

const FOUND_LENGTH_MAX = 40;

/** The beginning of an unexpected text, for a message, which never repeats a secret. */
export function shortened(found: string): string {
  const whole = masked(found);
  const start = whole
    .slice(0, FOUND_LENGTH_MAX)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\ufffd");
  return whole.length > FOUND_LENGTH_MAX ? `${start}…` : start;
}
