import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, NewPlant, Plant } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantStore } from "#core/store.ts";
import { removal, TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { EVERYTHING, exportAll, listAll } from "#test/support/plant-lists.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";

const always = () => undefined;

function plant(id: bigint | number, name = `plant ${id}`, tag?: string): NewPlant {
  return { id: BigInt(id), name, tag };
}

const ids = (plants: readonly Pick<Plant, "id">[]) => plants.map(({ id }) => id);

describe.each(ENGINES)("plants on %s", (engine) => {
  let opened: TestStore;
  let plants: PlantStore;
  beforeAll(async () => {
    opened = await openTestStore(engine);
    plants = opened.store.plants;
  }, 60_000);
  afterAll(() => opened.end());

  async function accountWith(given: readonly NewPlant[]): Promise<AccountNumber> {
    const account = await opened.account();
    await plants.createMany(account, given);
    return account;
  }

  test("ids are listed exactly and in order, at both ends of int64 and around 2^53", async () => {
    const given = [INT64_MAX, 2n ** 53n + 1n, 2n ** 53n, 2n ** 53n - 1n, 0n, -1n, -(2n ** 53n) - 1n, INT64_MIN];
    const account = await accountWith(given.map((id) => plant(id)));
    expect(ids(await listAll(opened.reads.plants, account))).toEqual(given.toReversed());
    expect(ids(await listAll(opened.reads.plants, account, { limit: 1 }))).toEqual(given.toReversed());
    expect(ids(await listAll(opened.reads.plants, account, { limit: 3, q: "plant" }))).toEqual(given.toReversed());
    expect(await plants.find(account, INT64_MIN)).toMatchObject({ id: INT64_MIN, name: `plant ${INT64_MIN}` });
    expect(await opened.reads.plants.greatestId(account)).toBe(INT64_MAX);
    expect(await opened.reads.plants.greatestId(await opened.account())).toBeUndefined();
  });

  test("newest first is the reverse of the order of creation, page by page", async () => {
    const given = [5, -3, 900, 1, 0, 77];
    const account = await accountWith(given.map((id) => plant(id)));
    for (const limit of [1, 2, 5, 6, 7])
      expect(ids(await listAll(opened.reads.plants, account, { order: "-created_at", limit }))).toEqual(
        given.toReversed().map((id) => BigInt(id)),
      );
  });

  test("a page ends the list without a further, empty one", async () => {
    const account = await accountWith([1, 2, 3, 4].map((id) => plant(id)));
    for (const order of ["id", "-created_at"] as const) {
      const first = await opened.reads.plants.list(account, { ...EVERYTHING, order, limit: 2 });
      expect(first.next).toBeDefined();
      const second = await opened.reads.plants.list(account, { ...EVERYTHING, order, limit: 2, after: first.next });
      expect(second.plants).toHaveLength(2);
      expect(second.next).toBeUndefined();
    }
  });

  test("pages stay stable while others write: nothing is listed twice, and nothing that stayed is left out", async () => {
    const account = await accountWith(Array.from({ length: 40 }, (_, at) => plant(at * 10)));
    const first = await opened.reads.plants.list(account, { ...EVERYTHING, limit: 20 });
    await plants.createMany(account, [plant(5), plant(195), plant(395), plant(1000)]);
    await plants.remove(account, 200n, always);
    await plants.remove(account, 0n, always);
    const second = await opened.reads.plants.list(account, { ...EVERYTHING, after: first.next });
    const kept = Array.from({ length: 19 }, (_, at) => BigInt(210 + at * 10));
    expect(ids(second.plants)).toEqual([195n, ...kept, 395n, 1000n].toSorted(ascending));
  });

  test("an account's lists, searches and exports hold its own plants alone", async () => {
    const mine = await accountWith([plant(1, "Ficus mine", "a")]);
    const other = await accountWith([plant(1, "Ficus other", "a"), plant(2, "Ficus other", "a")]);
    for (const query of [{}, { q: "ficus" }, { tag: "a" }, { q: "f" }, { q: "ficus", tag: "a" }] as const) {
      for (const order of ["id", "-created_at"] as const) {
        expect((await listAll(opened.reads.plants, mine, { ...query, order })).map(({ name }) => name)).toEqual([
          "Ficus mine",
        ]);
        expect(await listAll(opened.reads.plants, other, { ...query, order })).toHaveLength(2);
      }
    }
    expect(await exportAll(opened.reads.plants, mine)).toEqual(await listAll(opened.reads.plants, mine));
  });

  test("what was answered before is found at once, and what was changed or removed at once no longer", async () => {
    const account = await accountWith([plant(1, "Calathea ORBIFOLIA", "indoor")]);
    expect(await listAll(opened.reads.plants, account, { q: "orbi" })).toHaveLength(1);
    await plants.change(account, 1n, { name: "Calathea lancifolia", tag: null }, always);
    expect(await listAll(opened.reads.plants, account, { q: "orbi" })).toEqual([]);
    expect(await listAll(opened.reads.plants, account, { tag: "indoor" })).toEqual([]);
    expect(await listAll(opened.reads.plants, account, { q: "LANCI" })).toHaveLength(1);
    await plants.remove(account, 1n, always);
    expect(await listAll(opened.reads.plants, account, { q: "lanci" })).toEqual([]);
  });

  test("any search finds exactly the plants that a comparison one by one finds, in both orders", async () => {
    const texts = [
      "",
      "a",
      "A",
      "ß",
      "SS",
      "ſ",
      "K",
      "\u{212a}",
      "ς",
      "Σ",
      "%",
      "_",
      "*",
      '"',
      "🌵",
      "İ",
      "ab c",
      "Monstera",
    ];
    const text = fc.array(fc.constantFrom(...texts), { maxLength: 6 }).map((parts) => parts.join(""));
    const tag = fc.option(fc.constantFrom("", "Indoor", "indoor", "%"), { nil: undefined });
    const given = fc.array(fc.record({ name: text, tag }), { maxLength: 40 });
    const queries = fc.array(
      fc.record({
        q: fc.option(text, { nil: undefined }),
        tag,
        order: fc.constantFrom("id" as const, "-created_at" as const),
        limit: fc.integer({ min: 1, max: 50 }),
      }),
      { minLength: 4, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(given, queries, async (some, asked) => {
        const account = await accountWith(some.map(({ name, tag }, at) => plant(at % 2 ? -at : at, name, tag)));
        const all = await listAll(opened.reads.plants, account);
        const newest = await listAll(opened.reads.plants, account, { order: "-created_at" });
        for (const query of asked) {
          const filter = plantFilter(query);
          const expected = (query.order === "id" ? all : newest).filter((kept) => passes(filter, kept));
          expect(await listAll(opened.reads.plants, account, query)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("a search for what no plant can hold finds nothing", async () => {
    const account = await accountWith([plant(1, "abc")]);
    for (const q of ["ab\0", "\ud800", "\0"]) expect(await listAll(opened.reads.plants, account, { q })).toEqual([]);
  });

  test("a page of the longest names is short and goes on", async () => {
    const name = "Ω".repeat(500_000);
    const account = await accountWith(Array.from({ length: 12 }, (_, at) => plant(at, `${name}${at}`)));
    expect(await listAll(opened.reads.plants, account)).toHaveLength(12);
    expect(await listAll(opened.reads.plants, account, { q: "ωωω7" })).toHaveLength(1);
  });

  test("an export gives every plant in id order as of one moment, whatever is written meanwhile", async () => {
    const given = Array.from({ length: 3000 }, (_, at) => plant((at * 7919) % 3001, `plant ${at}`));
    const account = await accountWith(given);
    const before = await listAll(opened.reads.plants, account);
    const pages = opened.reads.plants.export(account)[Symbol.asyncIterator]();
    const first = await pages.next();
    await plants.createMany(account, [plant(5000), plant(-1)]);
    await plants.remove(account, 2999n, always);
    await plants.change(account, 2998n, { name: "changed" }, always);
    const all: Plant[] = [...(first.value ?? [])];
    for (let page = await pages.next(); !page.done; page = await pages.next()) all.push(...page.value);
    expect(all).toEqual(before);
  });

  test("exports that end early, and those of no plant, let go of EVERYTHING", async () => {
    const empty = await opened.account();
    expect(await exportAll(opened.reads.plants, empty)).toEqual([]);
    const account = await accountWith(Array.from({ length: 2000 }, (_, at) => plant(at)));
    for (let round = 0; round < 20; round++) {
      for await (const page of opened.reads.plants.export(account)) {
        expect(page.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(await exportAll(opened.reads.plants, account)).toHaveLength(2000);
  });

  test("a removed account leaves none of its plants, nor their count, and no other's goes with them", async () => {
    const account = await accountWith(Array.from({ length: 1500 }, (_, at) => plant(at, `gone ${at}`, "gone")));
    const other = await accountWith([plant(1, "gone 1", "gone")]);
    await opened.store.accounts.remove(removal(account), TEST_SOURCE);
    expect(await listAll(opened.reads.plants, account)).toEqual([]);
    expect(await listAll(opened.reads.plants, account, { q: "gone" })).toEqual([]);
    expect(await plants.count(account)).toBe(0);
    expect(await listAll(opened.reads.plants, other, { q: "gone" })).toHaveLength(1);
  });
});

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1;
}
