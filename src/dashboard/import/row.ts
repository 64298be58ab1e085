/** A row of a file, whichever its format. */
export interface Row {
  /** The line on which it begins, counted from 1 as an editor does; of a workbook its row. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Set if the row could not be told from its neighbours with certainty. */
  readonly problem?: string;
  /** The columns of a workbook whose numbers have more digits than it keeps. */
  readonly rounded?: readonly number[];
}

/** A file that cannot be imported, with a sentence for its reader. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

export const COLUMNS_MAX = 1000;

/** The digits that programs keep of a number which is no text. */
export const DIGITS_KEPT = 15;

export function isEmptyRow({ cells }: Row): boolean {
  return cells.every((cell) => cell === "");
}
