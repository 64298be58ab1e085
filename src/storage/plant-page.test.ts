import { expect, test } from "bun:test";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { Plant } from "#core/plant.ts";
import { atOnce, firstFound } from "#core/reads.ts";
import type { PlantQuery } from "#core/store.ts";
import { pageOf, pageRequest } from "./plant-page.ts";

const byId: PlantQuery = { order: "id", limit: 2, tag: undefined, q: undefined, after: undefined };
const newestFirst: PlantQuery = { ...byId, order: "-created_at" };

function plant(id: bigint): Plant {
  return { id, number: 100n - id, name: `plant ${id}`, tag: undefined, revision: 1, createdAt: 0, updatedAt: 0 };
}

test("a list begins at one end of int64, and nothing comes after the other", () => {
  expect(pageRequest(1, byId)?.from).toBe(INT64_MIN);
  expect(pageRequest(1, newestFirst)?.from).toBe(INT64_MAX);
  expect(pageRequest(1, { ...byId, after: INT64_MAX })).toBeUndefined();
  expect(pageRequest(1, { ...newestFirst, after: INT64_MIN })).toBeUndefined();
});

test("a page begins right after the position that it is asked from", () => {
  expect(pageRequest(1, { ...byId, after: -1n })?.from).toBe(0n);
  expect(pageRequest(1, { ...byId, after: INT64_MAX - 1n })?.from).toBe(INT64_MAX);
  expect(pageRequest(1, { ...newestFirst, after: 7n })?.from).toBe(6n);
});

test("nothing is read for text that no plant can hold", () => {
  expect(pageRequest(1, { ...byId, q: "\0" })).toBeUndefined();
  expect(pageRequest(1, { ...byId, tag: "\ud800" })).toBeUndefined();
});

test("a full page goes on after its last plant, and only if there is another", () => {
  const found = [1n, 2n, 3n].map(plant);
  expect(pageOf(byId, found, undefined)).toEqual({ plants: found.slice(0, 2), next: 2n });
  expect(pageOf(newestFirst, found, undefined).next).toBe(98n);
  expect(pageOf(byId, found.slice(0, 2), undefined)).toEqual({ plants: found.slice(0, 2), next: undefined });
});

test("a page that was cut short goes on where reading stopped, even if nothing was found", () => {
  expect(pageOf(byId, [plant(1n)], 500n)).toEqual({ plants: [plant(1n)], next: 500n });
  expect(pageOf(byId, [], 500n)).toEqual({ plants: [], next: 500n });
});

test("pages are read until one holds a plant, the list ends, or a second is over, which is the only empty page with a next", async () => {
  const looked = async (last: { plants: Plant[]; next: bigint | undefined }, msEach: number) => {
    const starts: (bigint | undefined)[] = [];
    const list = async (_: number, { after }: PlantQuery) => {
      const at = BigInt(starts.push(after));
      return at === 20n ? last : { plants: [], next: at };
    };
    const page = await atOnce(firstFound({ list }, 1, { ...byId, after: -5n }, () => starts.length * msEach));
    return { starts, page };
  };
  const found = await looked({ plants: [plant(7n)], next: 7n }, 10);
  expect(found.page).toEqual({ plants: [plant(7n)], next: 7n });
  expect([found.starts.length, ...found.starts.slice(0, 3)]).toEqual([20, -5n, 1n, 2n]);
  expect((await looked({ plants: [], next: undefined }, 10)).page).toEqual({ plants: [], next: undefined });
  expect((await looked({ plants: [plant(7n)], next: 7n }, 100)).page).toEqual({ plants: [], next: 10n });
});
