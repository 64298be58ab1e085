import { expect, test } from "bun:test";
import fc from "fast-check";
import { BulkWindow, type Lined } from "./bulk-window.ts";

interface Named {
  readonly id: bigint;
  readonly name: string;
}

const newWindow = () => new BulkWindow<Named>(["name"]);

function slicesOf(records: readonly Lined<Named>[]): Lined<Named>[][] {
  const window = newWindow();
  for (const record of records) window.add(record);
  return [...window.slices()];
}

const lined = (ids: readonly bigint[], name = "") =>
  ids.map((id, index): Lined<Named> => ({ line: index + 1, given: { id, name } }));

/** Neighbours that share a double, and many of the same id. */
const IDS = fc.array(
  fc.oneof(fc.bigInt(-20n, 20n), fc.bigInt(2n ** 62n, 2n ** 62n + 600n), fc.bigInt(-(2n ** 63n), 0n)),
  {
    minLength: 1,
    maxLength: 6000,
    size: "max",
  },
);

test("plants of the same id keep the order of their lines, and none is lost", () => {
  fc.assert(
    fc.property(IDS, (ids) => {
      const sorted = slicesOf(lined(ids)).flat();
      expect(sorted.length).toBe(ids.length);
      const lineOf = new Map<bigint, number>();
      for (const { line, given } of sorted) {
        expect(ids[line - 1]).toBe(given.id);
        expect(line).toBeGreaterThan(lineOf.get(given.id) ?? 0);
        lineOf.set(given.id, line);
      }
    }),
    // To look for the smallest of such lists would take minutes.
    { numRuns: 30, endOnFailure: true },
  );
});

test("many plants are written in the order of their ids, as near as a double tells", () => {
  const ids = Array.from({ length: 50_000 }, (_, i) => BigInt.asIntN(64, BigInt(i) * 0x9e3779b97f4a7c15n));
  const keys = slicesOf(lined(ids))
    .flat()
    .map(({ given }) => Number(given.id));
  expect(keys).toEqual([...keys].sort((a, b) => a - b));
});

test("few plants are written in the order in which they came", () => {
  const few = lined([5n, -1n, 900n, 3n]);
  expect(
    slicesOf(few)
      .flat()
      .map(({ line }) => line),
  ).toEqual([1, 2, 3, 4]);
});

test("a slice is bounded by its plants and by their text, and so is the window", () => {
  const ids = Array.from({ length: 5000 }, (_, i) => BigInt(i));
  for (const slice of slicesOf(lined(ids))) expect(slice.length).toBeLessThanOrEqual(1024);
  const long = "x".repeat(600 * 1024);
  expect(slicesOf(lined([1n, 2n, 3n], long)).map(({ length }) => length)).toEqual([2, 1]);
  const window = newWindow();
  for (const plant of lined(ids.slice(0, 1), long)) window.add(plant);
  expect(window.isFull).toBe(false);
  for (const plant of lined([100n], long)) window.add(plant);
  expect(window.isFull).toBe(true);
});
