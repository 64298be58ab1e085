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

/** A table of figures: they line up at the right, the names in the first column at the left. */
export const table = (head: string[], rows: string[][]) =>
  rules(
    head,
    head.map((_, index) => (index === 0 ? "---" : "---:")),
    rows,
  );

export const tableOfWords = (head: string[], rows: string[][]) =>
  rules(
    head,
    head.map(() => "---"),
    rows,
  );

const rules = (head: string[], rule: string[], rows: string[][]) =>
  [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
