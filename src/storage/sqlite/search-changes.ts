import type { IndexedPlant } from "./search-index.ts";

/** A plant as the index holds it, and as it is to hold it; `after` is undefined if the plant is removed. */
export interface SearchChange {
  readonly before: IndexedPlant;
  readonly after: IndexedPlant | undefined;
}

/**
 * The changes of indexed plants in one transaction, kept until its end. FTS5 makes a segment for each savepoint and for
 * each step back in the insertion numbers, and 2,000 segments are the most it takes; so they go in at once, in order.
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

  /** Returns a function to call when a part of the transaction is undone. */
  mark(): () => void {
    const { length } = this.#changes;
    return () => {
      this.#changes.length = length;
    };
  }

  /** One for each plant, in the order of their insertion numbers. */
  inOrder(): SearchChange[] {
    const byPlant = new Map<number, SearchChange>();
    for (const { before, after } of this.#changes) {
      const number = Number(before.number);
      byPlant.set(number, { before: byPlant.get(number)?.before ?? before, after });
    }
    return [...byPlant].sort(([a], [b]) => a - b).map(([, change]) => change);
  }
}
