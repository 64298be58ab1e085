import type { AccountNumber } from "#core/plant.ts";

/** The columns of a plant that the index uses. */
export interface IndexedPlant {
  readonly number: bigint | number;
  readonly account: AccountNumber;
  readonly name: string;
  readonly tag: string | null;
}

/** A plant as the index has it, and as the index should have it; `after` is undefined if the plant is removed. */
export interface SearchChange {
  readonly before: IndexedPlant;
  readonly after: IndexedPlant | undefined;
}

/**
 * The changes of indexed plants in one transaction, held until its end. FTS5 makes a segment for each savepoint and for
 * each step back in the insertion numbers, and allows at most 2,000 segments; so the changes are written at once, in
 * order.
 */
export class SearchChanges {
  #changes: SearchChange[] = [];

  get empty(): boolean {
    return this.#changes.length === 0;
  }

  add(change: SearchChange): void {
    this.#changes.push(change);
  }

  clear(): void {
    this.#changes = [];
  }

  /** Returns a function that undoes the changes noted since, for when a part of the transaction is rolled back. */
  mark(): () => void {
    const { length } = this.#changes;
    return () => {
      this.#changes.length = length;
    };
  }

  /** One change for each plant, ordered by insertion number. */
  inOrder(): SearchChange[] {
    const byPlant = new Map<number, SearchChange>();
    for (const { before, after } of this.#changes) {
      const number = Number(before.number);
      byPlant.set(number, { before: byPlant.get(number)?.before ?? before, after });
    }
    return [...byPlant].sort(([a], [b]) => a - b).map(([, change]) => change);
  }
}
