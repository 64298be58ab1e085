import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS } from "#core/duration.ts";
import { PROGRAM } from "#core/event-actor.ts";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant } from "#core/plant.ts";
import type { PlantQuery } from "#core/records.ts";
import { readFeed } from "#test/support/feed.ts";
import { always, exportAll, listAll, newPlant, newPlants } from "#test/support/plant-lists.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { INLINE_READ } from "./plant-row.ts";

const fern = newPlant(1, "Fern", "shade");
const ids = (plants: readonly Pick<Plant, "id">[]) => plants.map(({ id }) => id);

/** Few ids and few texts, so that plants meet their own kind and others of their id. */
const PLANTS = fc.array(
  fc.record({
    id: fc.oneof(fc.bigInt(0n, 200n), fc.constantFrom(INT64_MIN, INT64_MAX, 2n ** 53n + 1n)),
    name: fc.constantFrom("a", "b", ""),
    tag: fc.constantFrom(undefined, "", "t"),
  }),
  { minLength: 1, maxLength: 300 },
);

describeRecords("plants on %s", (opened) => {
  const list = (account: AccountNumber, query: Partial<PlantQuery> = {}) =>
    listAll(opened.reads.plants, account, query);

  test("ids are listed exactly and in order, at both ends of int64 and around 2^53", async () => {
    const given = [INT64_MAX, 2n ** 53n + 1n, 2n ** 53n, 2n ** 53n - 1n, 0n, -1n, -(2n ** 53n) - 1n, INT64_MIN];
    const account = await opened.accountWith(given.map((id) => newPlant(id)));
    for (const query of [{}, { limit: 1 }, { limit: 3, q: "plant" }]) {
      expect(ids(await list(account, query))).toEqual(given.toReversed());
    }
    expect(await opened.records.plants.find(account, INT64_MIN)).toMatchObject(newPlant(INT64_MIN));
    expect(await opened.reads.plants.greatestId(account)).toBe(INT64_MAX);
    expect(await opened.reads.plants.greatestId(await opened.account())).toBeUndefined();
  });

  test("a plant is found by the serving thread without long texts, and by the reading threads with any", async () => {
    const long = "x".repeat(INLINE_READ.each - 1);
    const short = [newPlant(0, `${long}x`), newPlant(1, "x", long)];
    const others = [newPlant(2, `${long}é`), newPlant(3, "x", `${long}x`)];
    const account = await opened.accountWith([...short, ...others]);
    for (const plant of short) expect(await opened.records.plants.find(account, plant.id)).toMatchObject(plant);
    for (const plant of others) {
      const texts = { name: undefined, tag: undefined };
      expect(await opened.records.plants.find(account, plant.id)).toMatchObject({ ...plant, ...texts, revision: 1 });
      expect(await opened.reads.plants.find(account, plant.id)).toMatchObject(plant);
    }
  });

  test("changes and removals that wait together are applied in order: each has its event and who did it, or its own refusal", async () => {
    const [account, other] = [await opened.accountWith([fern, newPlant(2)]), await opened.accountWith([fern])];
    const by = { kind: "person", id: "ada", name: "Ada" } as const;
    const stale = () => {
      throw new Error("changed since");
    };
    const { plants } = opened.records;
    const outcomes = await Promise.allSettled([
      plants.change(account, 1n, { name: "Bracken" }, always, undefined, by),
      plants.change(account, 1n, { tag: null }, stale),
      plants.change(account, 1n, { name: "Bracken" }, always),
      plants.change(account, 1n, { tag: null }, always),
      plants.change(account, 3n, { name: "x" }, always),
      plants.change(other, 1n, { tag: "sun" }, always),
      plants.remove(account, 1n, ({ revision }) => expect(revision).toBe(3)),
      plants.remove(account, 1n, always),
      plants.change(account, 2n, { name: "y" }, always),
    ]);
    expect(
      outcomes.map((each) =>
        each.status === "rejected" ? (each.reason.code ?? each.reason.message) : each.value?.revision,
      ),
    ).toEqual([2, "changed since", 2, 3, "plant-unknown", 2, undefined, "plant-unknown", 2]);
    const told = (await readFeed(opened, account)).events.map(({ type, plant, number }) => ({ type, plant, number }));
    const ofFern = told.filter(({ plant }) => plant.id === 1n);
    expect(ofFern.map(({ type, plant }) => [type, plant.name, plant.tag])).toEqual([
      ["plant.created", "Fern", "shade"],
      ["plant.changed", "Bracken", "shade"],
      ["plant.changed", "Bracken", undefined],
      ["plant.removed", "Bracken", undefined],
    ]);
    expect(told).toEqual(told.toSorted((a, b) => Number(a.number - b.number)));
    const eventsOfFern = (await readFeed(opened, account)).events.filter(({ plant }) => plant.id === 1n);
    expect(await opened.reads.events.doers(account, eventsOfFern)).toEqual([PROGRAM, by, undefined, undefined]);
    expect(await plants.count(account)).toBe(1);
    expect(await plants.find(other, 1n)).toMatchObject({ tag: "sun", revision: 2 });
  });

  test("an account's lists, searches and exports hold its own plants alone", async () => {
    const mine = await opened.accountWith([newPlant(1, "Ficus mine", "a")]);
    const other = await opened.accountWith([newPlant(1, "Ficus other", "a"), newPlant(2, "Ficus other", "a")]);
    for (const query of [{}, { q: "ficus" }, { tag: "a" }, { q: "f" }, { q: "ficus", tag: "a" }] as const) {
      for (const order of ["id", "-created_at"] as const) {
        expect((await list(mine, { ...query, order })).map(({ name }) => name)).toEqual(["Ficus mine"]);
        expect(await list(other, { ...query, order })).toHaveLength(2);
      }
    }
    expect(await exportAll(opened.reads.plants, mine)).toEqual(await list(mine));
  });

  test("a page of the longest names is short and goes on", async () => {
    const name = "Ω".repeat(500_000);
    const account = await opened.accountWith(Array.from({ length: 12 }, (_, at) => newPlant(at, `${name}${at}`)));
    expect(await list(account)).toHaveLength(12);
    expect(await list(account, { q: "ωωω7" })).toHaveLength(1);
  });

  test("exports that end early, and those of no plant, let go of everything", async () => {
    expect(await exportAll(opened.reads.plants, await opened.account())).toEqual([]);
    const account = await opened.accountWith(newPlants(2000));
    for (let round = 0; round < 20; round++) {
      for await (const page of opened.reads.plants.export(account)) {
        expect(page.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(await exportAll(opened.reads.plants, account)).toHaveLength(2000);
  });

  describe("that are changed or removed", () => {
    afterEach(() => void setSystemTime());

    test("never go back in time, even if the clock does", async () => {
      const { plants, events } = opened.records;
      const account = await opened.accountWith([fern]);
      const start = await events.latest();
      const future = Date.now() + HOUR_MS;
      setSystemTime(future);
      expect((await plants.change(account, 1n, { name: "from the future" }, always)).updatedAt).toBe(future);
      setSystemTime();
      expect((await plants.change(account, 1n, { name: "from the present" }, always)).updatedAt).toBe(future);
      await plants.remove(account, 1n, always);
      const page = await readFeed(opened, account, { after: start });
      expect(page.events.map(({ type, at }) => [type, at])).toEqual([
        ["plant.changed", future],
        ["plant.changed", future],
        ["plant.removed", future],
      ]);
    });

    test("at once are changed one on the other and removed once: the revision counts all changes", async () => {
      const { plants } = opened.records;
      const account = await opened.accountWith([fern]);
      const names = Array.from({ length: 20 }, (_, at) => `Fern ${at}`);
      const changed = await Promise.all(names.map((name) => plants.change(account, 1n, { name }, always)));
      expect(changed.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(names.map((_, at) => at + 2));
      expect(await plants.find(account, 1n)).toMatchObject({ revision: 21 });
      const removals = await Promise.allSettled(Array.from({ length: 8 }, () => plants.remove(account, 1n, always)));
      expect(removals.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await plants.count(account)).toBe(0);
    });

    test("are counted with creates and repeated creates, of every account apart", async () => {
      const { plants } = opened.records;
      const account = await opened.accountWith([fern, { ...fern, id: 2n }]);
      const other = await opened.accountWith([fern]);
      await plants.createMany(account, [fern, { ...fern, name: "another" }, { ...fern, id: 3n }, { ...fern, id: 3n }]);
      await plants.create(account, { ...fern, id: 4n });
      expect(await plants.count(account)).toBe(4);
      await plants.change(account, 2n, { name: "changed" }, always);
      await plants.remove(account, 2n, always);
      expect([await plants.count(account), await plants.count(other)]).toEqual([3, 1]);
    });
  });

  describe("that are created at once", () => {
    async function oneByOne(account: AccountNumber, given: readonly NewPlant[]): Promise<CreateOutcome[]> {
      const outcomes: CreateOutcome[] = [];
      for (const each of given) outcomes.push(await opened.records.plants.create(account, each));
      return outcomes;
    }

    const kept = async (account: AccountNumber) =>
      (await list(account, { order: "-created_at" })).map(({ id, name, tag }): NewPlant => ({ id, name, tag }));

    test("have the outcomes and the order of single creates, and leave the same plants", async () => {
      const { plants } = opened.records;
      await fc.assert(
        fc.asyncProperty(PLANTS, PLANTS, async (first, second) => {
          const [many, single] = [await opened.account(), await opened.account()];
          for (const given of [first, second]) {
            expect(await plants.createMany(many, given)).toEqual(await oneByOne(single, given));
            expect(await kept(many)).toEqual(await kept(single));
            expect(await plants.count(many)).toBe(await plants.count(single));
          }
        }),
        { numRuns: 6 },
      );
    });

    test("differ from a plant with their id in form alone, or in what they say", async () => {
      const { plants } = opened.records;
      const rosa = { id: 1n, name: "Rosa – Cr\u00e9me", tag: "a b" };
      const account = await opened.accountWith([rosa]);
      const given = [
        { name: "Rosa - Cre\u0301me" },
        { tag: "a\u00a0b" },
        { name: "rosa – Cr\u00e9me" },
        { tag: undefined },
        {},
      ];
      expect(
        await plants.createMany(
          account,
          given.map((other) => ({ ...rosa, ...other })),
        ),
      ).toEqual(["taken-alike", "taken-alike", "taken", "taken", "unchanged"]);
    });

    test("leave the next create a number of its own, whatever of them was there before", async () => {
      const { plants } = opened.records;
      const some = newPlants(200);
      const account = await opened.accountWith(some.slice(50, 150));
      for (let times = 0; times < 2; times++) await plants.createMany(account, some);
      expect(await plants.create(account, newPlant(1000, "newest"))).toBe("created");
      expect((await kept(account))[0]).toEqual(newPlant(1000, "newest"));
      expect(await plants.count(account)).toBe(201);
    });
  });
});
