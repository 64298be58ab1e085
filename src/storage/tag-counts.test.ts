import { expect, test } from "bun:test";
import fc from "fast-check";
import { addTag, changedRows, type TagChanges } from "./tag-counts.ts";

/** One more than are kept. */
const TAGS = Array.from({ length: 5001 }, (_, at) => `tag ${at}`);

/** Applies batches of differences as the indexer does. */
class Counts {
  readonly rows = new Map<string, number>();
  other = 0;

  apply(differences: readonly (readonly [tag: string, by: number])[]): void {
    const changes: TagChanges = { tags: new Map(), other: 0 };
    for (const [tag, by] of differences) addTag(changes, tag, by);
    const kept = { countOf: (tag: string) => this.rows.get(tag) ?? 0, length: () => this.rows.size };
    for (const { kind, tag, count } of changedRows(changes, kept)) {
      if (kind === "other") this.other += count;
      else this.rows.set(tag, (this.rows.get(tag) ?? 0) + count);
      if (this.rows.get(tag) === 0) this.rows.delete(tag);
    }
  }
}

test("beyond 5,000 tags further ones are counted together, and a tag whose plants have gone leaves its place", () => {
  const counts = new Counts();
  counts.apply(TAGS.map((tag) => [tag, 2]));
  expect([counts.rows.size, counts.other]).toEqual([5000, 2]);
  counts.apply([["tag 7", -2]]);
  counts.apply([["tag 5000", 1]]);
  expect([counts.rows.get("tag 5000"), counts.rows.size, counts.other]).toEqual([1, 5000, 2]);
  counts.apply([["tag 5000", -3]]);
  expect([counts.rows.get("tag 5000"), counts.other]).toEqual([undefined, 0]);
});

test("no count is ever below zero, and together they are the number of plants", () => {
  const step = fc.array(fc.tuple(fc.constantFrom("a", "b", "t".repeat(201)), fc.integer({ min: -2, max: 2 })));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const counts = new Counts();
      const plants = new Map<string, number>();
      for (const differences of steps) {
        const possible = differences.filter(([tag, by]) => {
          const left = (plants.get(tag) ?? 0) + by;
          if (left >= 0) plants.set(tag, left);
          return left >= 0;
        });
        counts.apply(possible);
        const all = [...counts.rows.values(), counts.other];
        expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
        expect(all.reduce((sum, count) => sum + count)).toBe([...plants.values()].reduce((sum, n) => sum + n, 0));
      }
    }),
  );
});
