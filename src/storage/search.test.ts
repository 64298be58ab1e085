import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { AccountNumber, NewPlant, Plant, PlantPatch } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { TagCounts } from "#core/reads.ts";
import type { PlantQuery } from "#core/records.ts";
import { firstNonEmptyPage, toEnd } from "#http/reading/in-turns.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { always, EVERYTHING, listAll, newPlant, newPlants, readAll } from "#test/support/plant-lists.ts";
import { describeSearchedStores } from "#test/support/search-index.ts";

const ORDERS = ["id", "-created_at"] as const;

const WORDS = fc.constantFrom(
  "Monstera",
  "monstera",
  "ΣΊΣΥΦΟΣ",
  "ſtraße",
  "STRASSE",
  "K",
  "Glücksfeder",
  "GLU\u0308CKSFEDER",
  "gluecksfeder",
  "glucksfeder",
  "Süß Öl",
  "oel",
  "Cre\u0300me",
  "crème",
  "× –",
  "x-",
  "İzmir",
  "ızmır",
  "한국 が",
  "か\u3099",
  "\u{212a}",
  "100%",
  "_*_",
  '"\\',
  "(",
  "🌵🌵🌵",
  "\uffff",
  "\u{f0000}",
);
const TEXT = fc.array(WORDS, { maxLength: 3 }).map((parts) => parts.join(" "));
const TAG = fc.option(fc.constantFrom("", "Indoor", "indoor"), { nil: undefined });
const PART = fc
  .tuple(TEXT, fc.nat(8), fc.nat(8))
  .map(([whole, from, length]) => [...whole].slice(from, from + length).join(""));
const PARTS = fc.array(PART, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
const CHANGE = fc.record({
  at: fc.nat(30),
  /** Undefined for a removal, after which another plant gets the id. */
  to: fc.option(fc.record({ name: TEXT, tag: fc.option(TAG, { nil: null }) }), { nil: undefined }),
  indexes: fc.boolean(),
});

const nameOf = ({ name }: Plant) => name;

describeSearchedStores("the search index on %s", (searched, engine) => {
  function found(account: AccountNumber, query: Partial<PlantQuery>): Promise<Plant[]> {
    const whole = { ...EVERYTHING, ...query };
    return readAll((after) => searched.search(account, { ...whole, after }), whole.limit);
  }

  async function countedTags(account: AccountNumber): Promise<TagCounts> {
    const plants = await listAll(searched.reads.plants, account, {});
    const byTag = Object.entries(Object.groupBy(plants, ({ tag }) => JSON.stringify(tag ?? null)));
    const counts = byTag.map(([tag, plants]) => ({ tag: JSON.parse(tag), count: plants?.length ?? 0 }));
    return {
      tags: counts.filter(({ tag }) => tag !== null).sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)),
      other: 0,
      untagged: counts.find(({ tag }) => tag === null)?.count ?? 0,
      about: false,
    };
  }

  async function changeOrReplace(account: AccountNumber, id: bigint, patch: PlantPatch | undefined): Promise<void> {
    if (patch) {
      await searched.records.plants.change(account, id, patch, always);
    } else {
      await searched.records.plants.remove(account, id, always);
      await searched.records.plants.create(account, { id, name: "Monstera made anew", tag: undefined });
    }
  }

  test("finds what a comparison one by one finds, whatever part of the plants is in it and whatever changed since", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: TEXT, tag: TAG }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(CHANGE, { maxLength: 8 }),
        fc.array(fc.record({ q: PARTS, tag: TAG, limit: fc.integer({ min: 1, max: 20 }) }), {
          minLength: 3,
          maxLength: 3,
        }),
        async (given, sliceLength, changes, queries) => {
          const account = await searched.accountWith(given.map((each, at) => ({ ...each, id: BigInt(at) })));
          await searched.index(sliceLength);
          for (const { at, to, indexes } of changes) {
            await changeOrReplace(account, BigInt(at % given.length), to);
            if (indexes) await searched.index(sliceLength);
          }
          for (const order of ORDERS) {
            const each = await listAll(searched.reads.plants, account, { order });
            for (const query of queries) {
              const expected = each.filter((plant) => passes(plantFilter(query), plant));
              expect(await found(account, { ...query, order })).toEqual(expected);
            }
          }
          await searched.index(sliceLength);
          expect(await searched.reads.plants.tagCounts(account)).toEqual(await countedTags(account));
        },
      ),
      { numRuns: engine === "sqlite" ? 25 : 10 },
    );
  });

  test("says that it counts tags about while changes wait for it, and not once it has followed", async () => {
    const account = await searched.accountWith([{ id: 1n, name: "Salvia", tag: "herb" }]);
    await searched.index(1);
    await searched.records.plants.change(account, 1n, { tag: "shade" }, always);
    const counts = () => searched.reads.plants.tagCounts(account);
    expect((await counts()).about).toBe(true);
    await searched.index(1);
    expect(await counts()).toMatchObject({ tags: [{ tag: "shade", count: 1 }], about: false });
  });

  test("gives each hit once, in either order, whether there are none, few, or all of the plants", async () => {
    const count = 3000;
    const given = Array.from({ length: count }, (_, at): NewPlant => {
      const rarity = `${at % 2 ? "even" : "odd"} ${at % 100 === 7 ? "rare" : ""} ${at === 2321 ? "unique" : ""}`;
      return { id: BigInt((at * 7919) % count), name: `Plant ${rarity}`, tag: at % 10 ? undefined : "tenth" };
    });
    const account = await searched.accountWith(given);
    await searched.index(500);
    expect(await searched.indexed(account)).toBeGreaterThan(2500);
    const hits = {
      plant: 3000,
      EVEN: 1500,
      rare: 30,
      uniq: 1,
      none: 0,
      "t ": 3000,
      "are even": 30,
      "que PLANT": 1,
      "unique rare": 0,
    };
    for (const order of ORDERS) {
      for (const [q, expected] of Object.entries(hits)) {
        const all = await found(account, { q, order, limit: 333 });
        expect(new Set(all.map(({ id }) => id)).size).toBe(expected);
        const keys = all.map((plant) => (order === "id" ? plant.id : -plant.number));
        expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)));
      }
      expect(await found(account, { tag: "tenth", order, limit: 77 })).toHaveLength(300);
      expect(await found(account, { tag: "tenth", q: "odd", order, limit: 333 })).toHaveLength(300);
      expect(await found(account, { tag: "tenth", q: "even", order, limit: 333 })).toHaveLength(0);
    }
  });

  test("finds a name as people type it, before it is indexed and after", async () => {
    const names = [
      "Glücksfeder",
      "Mueller",
      "Groß",
      "İZMİR",
      "Cre\u0300me",
      "Medicago × varia",
      "Süß",
      "Gelbe Rübe",
      "Öl",
    ];
    const account = await searched.accountWith(names.map((name, at) => newPlant(at, name)));
    const asked: Record<string, readonly string[]> = {
      Glücksfeder: ["glücksfeder", "glucksfeder", "gluecksfeder"],
      Mueller: ["müller", "mueller"],
      Groß: ["gross", "GROẞ"],
      İZMİR: ["izmir"],
      "Cre\u0300me": ["creme", "Crème"],
      "Medicago × varia": ["medicago x varia", "× MEDIC"],
      Süß: ["süß", "suess", "sus"],
      "Gelbe Rübe": ["rübe", "gelbe ruebe", "RU\u0308BE GELBE"],
      Öl: ["öl", "oel"],
    };
    const pairs = Object.entries(asked).flatMap(([name, queries]) => queries.map((q) => ({ name, q })));
    for (const isIndexed of [false, true]) {
      if (isIndexed) await searched.index(1);
      expect(await searched.indexed(account)).toBe(isIndexed ? names.length : 0);
      for (const order of ORDERS) {
        const answers = pairs.map(async ({ q }) => ({ q, names: (await found(account, { q, order })).map(nameOf) }));
        expect(await Promise.all(answers)).toEqual(pairs.map(({ q, name }) => ({ q, names: [name] })));
      }
    }
  });

  test("is not waited for: the first page after a large import holds what is there, in either order", async () => {
    const account = await searched.accountWith([newPlant(-1, "First"), ...newPlants(20_500)]);
    await searched.records.plants.create(account, newPlant(30_000, "Last", "last"));
    const firstPage = async (query: Partial<PlantQuery>) => {
      // Where a page is looked for too long, as on a slow machine, it may be empty.
      using _ = spyOn(performance, "now").mockReturnValue(0);
      return await toEnd(firstNonEmptyPage(searched.reads.plants, account, { ...EVERYTHING, ...query }));
    };
    for (const [query, id] of [
      [{ q: "last", order: "id" }, 30_000n],
      [{ tag: "last", order: "id" }, 30_000n],
      [{ q: "first", order: "-created_at" }, -1n],
    ] as const) {
      expect(await firstPage(query)).toMatchObject({ plants: [{ id }] });
    }
    expect(await firstPage({ q: "none" })).toEqual({ plants: [], next: undefined });
    for (const slice of [1000, 20]) await searched.index(slice);
  });

  test("finds a name and a tag that are too long for it", async () => {
    const name = `${"lorem ipsum ".repeat(2000)}Dionaea muscipula${" dolor".repeat(2000)}`;
    const account = await searched.accountWith([
      { id: 1n, name, tag: "long" },
      { id: 2n, name: "short", tag: "t".repeat(100_000) },
    ]);
    await searched.index(2);
    for (const order of ORDERS) {
      expect(await found(account, { q: "dionaea MUSC", order })).toHaveLength(1);
      expect(await found(account, { q: "ipsum lorem", tag: "long", order })).toHaveLength(1);
      expect(await found(account, { q: "dionaea muscipulb", order })).toHaveLength(0);
      expect(await found(account, { tag: "t".repeat(100_000), order })).toHaveLength(1);
    }
  });

  test("forgets the plants that were removed or belonged to a removed account, and no others", async () => {
    const given = [1n, 2n, 3n].map((id) => ({ id, name: `Aloe ${id}`, tag: "green" }));
    const [account, other] = [await searched.accountWith(given), await searched.accountWith(given)];
    await searched.index(1);
    expect([await searched.indexed(account), await searched.indexed(other)]).toEqual([3, 3]);
    await searched.records.plants.remove(account, 2n, always);
    await searched.index(1);
    expect(await searched.indexed(account)).toBe(2);
    await searched.records.stores.remove(account, TEST_SOURCE);
    await searched.index(1);
    expect([await searched.indexed(account), await searched.indexed(other)]).toEqual([0, 3]);
    expect(await found(account, { q: "aloe" })).toEqual([]);
    expect(await found(other, { q: "aloe" })).toHaveLength(3);
  });
});
