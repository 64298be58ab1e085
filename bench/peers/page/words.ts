/** Figures as a person reads them. */
import type { Spread } from "#harness/statistics.ts";

const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const figure = (value: number) => threeDigits.format(value);
export const count = (value: number) => whole.format(value);
export const times = (value: number) => (Number.isNaN(value) ? "" : `${twoDigits.format(value)}×`);

/** The median, and the range where it tells more. */
export function range({ median, least, most }: Spread): string {
  if (most === 0) return "none";
  const ends = [figure(least), figure(most)];
  return ends[0] === ends[1] ? figure(median) : `${figure(median)} (${ends.join(" to ")})`;
}

export function table(head: string[], rows: string[][]): string {
  // The first column holds names; the others figures, which line up at the right.
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
