import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Plant, PlantUpdate, UpdateOutcome } from "#core/plant.ts";
import { newPlantOf, patched, patchOf } from "#core/plant.ts";
import { DRY_RUN_ID_BYTES, DRY_RUN_IDS_MAX, DryRun } from "./dry-run.ts";
import { UnfinishedBodies } from "./unfinished-bodies.ts";

const stored = (id: bigint, name: string, tag?: string): Plant => {
  return { id, name, tag, number: id + 1n, revision: 1, createdAt: 0, updatedAt: 0 };
};

const text = fc.constantFrom("a", "b", "");
const update: fc.Arbitrary<PlantUpdate> = fc.record({
  id: fc.bigInt(0n, 3n),
  name: fc.option(text, { nil: undefined }),
  tag: fc.oneof(fc.constant(null), fc.option(text, { nil: undefined })),
});

/** Does the update, and returns its outcome. */
function updated(plants: Map<bigint, Plant>, one: PlantUpdate): UpdateOutcome {
  const before = plants.get(one.id);
  const after = before ? patched(before, patchOf(one), 1) : newPlantOf(one);
  if (!after) return "nameless";
  plants.set(one.id, { ...stored(one.id, ""), ...after });
  if (!before) return "created";
  return after === before ? "unchanged" : "updated";
}

test("a dry run of updates says of each what it would do after those before it", () => {
  fc.assert(
    fc.property(fc.array(update, { maxLength: 30 }), (updates) => {
      const kept = new Map([0n, 1n].map((id) => [id, stored(id, "a", "b")]));
      const plants = new Map(kept);
      const dryRun = new DryRun(() => {});
      const said = updates.map((each) => dryRun.update(each, kept.get(each.id)));
      expect(said).toEqual(updates.map((each) => updated(plants, each)));
    }),
  );
});

test("a dry run remembers a million different ids in bounded memory, and refuses one more", () => {
  let ids = 4096;
  const dryRun = new DryRun((more) => {
    ids += more;
  });
  const plant = (id: bigint) => ({ id: id * 2n ** 40n, name: "Fern", tag: undefined });
  for (let id = 0n; id < 1_000_000n; id++) dryRun.create(plant(id), undefined);
  expect(dryRun.create(plant(999_999n), undefined)).toBe("unchanged");
  expect(dryRun.create({ ...plant(0n), name: "Moss" }, undefined)).toBe("taken");
  expect(() => dryRun.create(plant(1_000_000n), undefined)).toThrow("A dry run takes up to 1,000,000 different ids");
  expect(ids).toBe(2 ** 20);
});

test("a dry run of a page remembers as many ids as fit into the memory that a person has, and refuses one more", () => {
  const { reserved } = new UnfinishedBodies();
  const reserve = (bytes: number) => reserved.acquire({ account: 1, person: "Ada" }, bytes, () => {});
  reserve(4 * 1024 * 1024);
  const dryRun = new DryRun((more) => reserve(more * DRY_RUN_ID_BYTES), DRY_RUN_IDS_MAX.page);
  for (let id = 0n; id < 250_000n; id++) dryRun.create({ id, name: "Fern", tag: undefined }, undefined);
  expect(() => dryRun.create({ id: -1n, name: "Fern", tag: undefined }, undefined)).toThrow(
    "up to 250,000 different ids",
  );
});
