import { textUnits } from "#core/plant.ts";

type Texts = Parameters<typeof textUnits>[0];

/**
 * The maximum that one piece of work may read: a number of plants, and an amount of text in UTF-16 units, since a
 * single name may have a million.
 */
export class Budget {
  constructor(
    private rows: number,
    private textUnits: number,
  ) {}

  /** Returns true if anything is left after this plant. */
  spend(plant: Texts): boolean {
    this.rows--;
    this.textUnits -= textUnits(plant);
    return this.rows > 0 && this.textUnits > 0;
  }
}

/** The first rows until the budget is spent, at least one if there are any. */
export function sliceOf<Row extends Texts>(rows: Iterable<Row>, budget: Budget): Row[] {
  const slice: Row[] = [];
  for (const row of rows) {
    slice.push(row);
    if (!budget.spend(row)) break;
  }
  return slice;
}
