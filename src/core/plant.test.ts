import { expect, test } from "bun:test";
import fc from "fast-check";
import { entityTag, type Plant, patched, removedAt, samePlant } from "./plant.ts";

const TEXT = fc.string({ maxLength: 5 });
const PLANT: fc.Arbitrary<Plant> = fc.record({
  id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  name: TEXT,
  tag: fc.option(TEXT, { nil: undefined }),
  number: fc.bigInt({ min: 1n, max: 2n ** 62n }),
  revision: fc.integer({ min: 1, max: 1000 }),
  createdAt: fc.integer({ min: 0, max: 2e12 }),
  updatedAt: fc.integer({ min: 0, max: 2e12 }),
});
const PATCH = fc.record({ name: TEXT, tag: fc.option(TEXT, { nil: null }) }, { requiredKeys: [] });

test("a patch sets the members that it has, removes a tag that is null, and leaves the rest", () => {
  fc.assert(
    fc.property(PLANT, PATCH, (plant, patch) => {
      const { name, tag } = patched(plant, patch, 0);
      expect(name).toBe("name" in patch ? (patch.name as string) : plant.name);
      if (!("tag" in patch)) expect(tag).toBe(plant.tag);
      else expect(tag).toBe(patch.tag ?? undefined);
    }),
  );
});

test("a patch that changes nothing gives the plant itself, with its revision and times", () => {
  fc.assert(
    fc.property(PLANT, fc.integer(), (plant, now) => {
      expect(patched(plant, {}, now)).toBe(plant);
      expect(patched(plant, { name: plant.name, tag: plant.tag ?? null }, now)).toBe(plant);
    }),
  );
});

test("a change has the next revision, and its time never goes back even if the clock does", () => {
  fc.assert(
    fc.property(PLANT, PATCH, fc.integer({ min: 0, max: 2e12 }), (plant, patch, now) => {
      const after = patched(plant, patch, now);
      if (samePlant(plant, after)) return;
      expect(after.revision).toBe(plant.revision + 1);
      expect(after.updatedAt).toBe(Math.max(now, plant.updatedAt));
      expect([after.id, after.number, after.createdAt]).toEqual([plant.id, plant.number, plant.createdAt]);
    }),
  );
});

test("an entity tag is a quoted string (RFC 9110), and another one for each revision and each create", () => {
  const tags = new Set<string>();
  for (const number of [1n, 2n, 36n, 2n ** 62n]) {
    for (const revision of [1, 2, 36, 1296]) tags.add(entityTag({ number, revision }));
  }
  expect(tags.size).toBe(16);
  for (const tag of tags) expect(tag).toMatch(/^"[0-9a-z.]+"$/);
});

test("a removal is never before the last change, even if the clock goes back", () => {
  expect(removedAt({ updatedAt: 500 }, 400)).toBe(500);
  expect(removedAt({ updatedAt: 500 }, 600)).toBe(600);
});
