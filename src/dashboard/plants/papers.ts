/** A paper: its size in millimetres and that of its labels, width then height, and how many stand beside and below each other. */
export interface Paper {
  readonly name: string;
  readonly page: readonly [number, number];
  readonly cells: readonly [number, number];
  readonly label: readonly [number, number];
  /** The gaps between columns and between rows. */
  readonly gap: readonly [number, number];
}

const INCH = 25.4;
const A4 = { page: [210, 297], gap: [2.5, 0] } as const;
const LETTER = { page: [8.5 * INCH, 11 * INCH], gap: [INCH / 8, 0] } as const;
const ROLL = { cells: [1, 1], gap: [0, 0] } as const;

/** The labels of each paper stand in its middle. */
export const PAPERS = {
  "a4-24": { name: "A4: 24 of 63.5 × 33.9 mm", ...A4, cells: [3, 8], label: [63.5, 33.9] },
  "a4-21": { name: "A4, Avery L7160: 21 of 63.5 × 38.1 mm", ...A4, cells: [3, 7], label: [63.5, 38.1] },
  "a4-40": { name: "A4: 40 of 45.7 × 25.4 mm", ...A4, cells: [4, 10], label: [45.7, 25.4] },
  "letter-30": {
    name: "US Letter, Avery 5160: 30 of 2⅝ × 1 in",
    ...LETTER,
    cells: [3, 10],
    label: [2.625 * INCH, INCH],
  },
  "letter-24": { name: "US Letter: 24 of 2⅝ × 1¼ in", ...LETTER, cells: [3, 8], label: [2.625 * INCH, 1.25 * INCH] },
  "letter-40": { name: "US Letter: 40 of 2 × 1 in", ...LETTER, cells: [4, 10], label: [2 * INCH, INCH] },
  roll: { name: "Roll: 62 × 29 mm", ...ROLL, page: [62, 29], label: [62, 29] },
  "roll-57": { name: "Roll: 57 × 32 mm", ...ROLL, page: [57, 32], label: [57, 32] },
  "roll-100": { name: "Roll: 100 × 150 mm", ...ROLL, page: [100, 150], label: [100, 150] },
} as const satisfies Readonly<Record<string, Paper>>;

/** The measures of a paper of one's own, in millimetres, with the words for each. */
export const OWN_MEASURES = {
  width: "Width of the sheet",
  height: "Height of the sheet",
  columns: "Columns",
  rows: "Rows",
  side: "Margin at the sides",
  top: "Margin above and below",
  across: "Gap between columns",
  down: "Gap between rows",
} as const;

export type OwnMeasures = Readonly<Record<keyof typeof OWN_MEASURES, number>>;

const FIRST: OwnMeasures = { width: 210, height: 297, columns: 3, rows: 8, side: 7.2, top: 12.9, across: 2.5, down: 0 };
const KEPT = "plantstore.own-paper";

/** The measures that were typed last in this browser. */
export function keptMeasures(): OwnMeasures {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return Object.values(kept).every(Number.isFinite) ? { ...FIRST, ...kept } : FIRST;
  } catch {
    return FIRST;
  }
}

export function keepMeasures(measures: OwnMeasures): void {
  localStorage.setItem(KEPT, JSON.stringify(measures));
}

const LABELS_MAX = 500;

/** The paper of these measures; undefined if no label of at least 15 × 10 mm has room on it. */
export function ownPaper(measures: OwnMeasures): Paper | undefined {
  const { width, height, columns, rows, side, top, across, down } = measures;
  const label = [
    (width - 2 * side - (columns - 1) * across) / columns,
    (height - 2 * top - (rows - 1) * down) / rows,
  ] as const;
  const isCount = (count: number) => Number.isInteger(count) && count >= 1;
  if (!isCount(columns) || !isCount(rows) || columns * rows > LABELS_MAX) return undefined;
  if (Math.min(side, top, across, down) < 0 || !(label[0] >= 15) || !(label[1] >= 10)) return undefined;
  if (Math.max(width, height) > 2000) return undefined;
  return { name: "My own", page: [width, height], cells: [columns, rows], label, gap: [across, down] };
}
