import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, CreateOutcome, NewPlant } from "#core/plant.ts";
import type { PlantStore } from "#core/store.ts";
import { ENGINES } from "#test/support/engines.ts";
import { listAll } from "#test/support/plant-lists.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";

/** Few ids and few texts, so that plants meet their own kind and others of their id. */
const PLANTS = fc.array(
  fc.record({
    id: fc.oneof(fc.bigInt(0n, 200n), fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n + 1n)),
    name: fc.constantFrom("a", "b", ""),
    tag: fc.constantFrom(undefined, "", "t"),
  }),
  { minLength: 1, maxLength: 300 },
);

describe.each(ENGINES)("many creates at once on %s", (engine) => {
  let opened: TestStore;
  let plants: PlantStore;
  beforeAll(async () => {
    opened = await openTestStore(engine);
    plants = opened.store.plants;
  }, 60_000);
  afterAll(() => opened.end());

  async function oneByOne(account: AccountNumber, given: readonly NewPlant[]): Promise<CreateOutcome[]> {
    const outcomes: CreateOutcome[] = [];
    for (const plant of given) outcomes.push(await plants.create(account, plant));
    return outcomes;
  }

  async function kept(account: AccountNumber): Promise<Partial<NewPlant>[]> {
    const all = await listAll(opened.reads.plants, account, { order: "-created_at" });
    return all.map(({ id, name, tag }) => ({ id, name, tag }));
  }

  test("have the outcomes, leave the plants and keep the order of single creates", async () => {
    await fc.assert(
      fc.asyncProperty(PLANTS, PLANTS, async (first, second) => {
        const [many, single] = [await opened.account(), await opened.account()];
        for (const given of [first, second]) {
          expect(await plants.createMany(many, given)).toEqual(await oneByOne(single, given));
          expect(await kept(many)).toEqual(await kept(single));
          expect(await plants.count(many)).toBe(await plants.count(single));
        }
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  test("leave the next create a number of its own, whatever of them was there before", async () => {
    const account = await opened.account();
    const some = Array.from({ length: 200 }, (_, i) => ({ id: BigInt(i), name: "x", tag: undefined }));
    await plants.createMany(account, some.slice(50, 150));
    await plants.createMany(account, some);
    await plants.createMany(account, some);
    expect(await plants.create(account, { id: 1000n, name: "newest", tag: undefined })).toBe("created");
    expect((await kept(account))[0]).toEqual({ id: 1000n, name: "newest", tag: undefined });
    expect(await plants.count(account)).toBe(201);
  });
});
