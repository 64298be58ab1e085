import { expect, test } from "bun:test";
import type { IndexedPlant } from "./search-changes.ts";
import { SearchChanges } from "./search-changes.ts";

const plant = (number: number, name: string): IndexedPlant => ({ number: BigInt(number), account: 1, name, tag: null });

test("each plant's changes become one, in the order of the insertion numbers", () => {
  const changes = new SearchChanges();
  changes.add({ before: plant(9, "a"), after: plant(9, "b") });
  changes.add({ before: plant(10, "x"), after: undefined });
  changes.add({ before: plant(2, "m"), after: plant(2, "n") });
  changes.add({ before: plant(9, "b"), after: plant(9, "c") });
  expect(changes.inOrder()).toEqual([
    { before: plant(2, "m"), after: plant(2, "n") },
    { before: plant(9, "a"), after: plant(9, "c") },
    { before: plant(10, "x"), after: undefined },
  ]);
});

test("a plant that is changed and then removed is only dropped, as it was before", () => {
  const changes = new SearchChanges();
  changes.add({ before: plant(1, "a"), after: plant(1, "b") });
  changes.add({ before: plant(1, "b"), after: undefined });
  expect(changes.inOrder()).toEqual([{ before: plant(1, "a"), after: undefined }]);
});

test("what is undone is forgotten, and nothing that came before it", () => {
  const changes = new SearchChanges();
  changes.add({ before: plant(1, "a"), after: undefined });
  const undo = changes.mark();
  changes.add({ before: plant(2, "b"), after: undefined });
  undo();
  expect(changes.inOrder()).toHaveLength(1);
  changes.clear();
  expect(changes.inOrder()).toEqual([]);
});
