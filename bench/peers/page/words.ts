/** Formats figures for readers. */
import type { Spread } from "./figures.ts";

const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const figure = (value: number) => threeDigits.format(value);
export const count = (value: number) => whole.format(value);
export const times = (value: number) => (Number.isNaN(value) ? "" : `${twoDigits.format(value)}×`);

/** The median, with the range if it differs: `30,700 (26,900–31,400)`. */
export function range({ median, least, most }: Spread): string {
  if (most === 0) return "none";
  const ends = [figure(least), figure(most)];
  return ends[0] === ends[1] ? figure(median) : `${figure(median)} (${ends.join("–")})`;
}

/** A table with names at the left of the first column and figures at the right of the others. */
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
  [row(head), `|${rule.join("|")}|`, ...rows.map(row)].join("\n");

const row = (cells: string[]) => `|${cells.join("|")}|`;
