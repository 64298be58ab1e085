import { beforeAll, expect, spyOn, test } from "bun:test";
import type { AccountNumber, NewPlant, Plant } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantChoice, PlantQuery } from "#core/records.ts";
import { EVERYTHING } from "#test/support/plant-lists.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { countMatches, firstNonEmptyPage, toEnd } from "./in-turns.ts";

/** More than one slice. */
const MANY = 21_000;
const LONG = "An unusually long name of a plant, longer than a pattern of the database may be: ";

const given: readonly NewPlant[] = [
  { id: 1n, name: "Rosa canina", tag: "outdoor" },
  { id: 2n, name: "ROSA rugosa", tag: "outdoor" },
  { id: 3n, name: "Aloe vera", tag: "indoor" },
  { id: 4n, name: "Aloe vera", tag: undefined },
  { id: 5n, name: "Aloe vera", tag: "" },
  { id: 6n, name: `${LONG}first`, tag: undefined },
  { id: 7n, name: `${LONG}second`, tag: undefined },
];

describeRecords("counting matches on %s", (opened) => {
  let small: AccountNumber;
  let large: AccountNumber;
  beforeAll(async () => {
    small = await opened.accountWith(given);
    large = await opened.accountWith(Array.from({ length: MANY }, (_, at) => manyPlant(at)));
  });

  test("a count is that of a comparison one by one, and of the account's own plants", async () => {
    const choices: PlantChoice[] = [
      { q: "rosa", tag: undefined },
      { q: "a", tag: undefined },
      { q: `${LONG}s`, tag: undefined },
      { q: undefined, tag: "outdoor" },
      { q: undefined, tag: "" },
      { q: "aloe", tag: "indoor" },
      { q: "VERA  al", tag: undefined },
      { q: "cactus", tag: undefined },
      { q: "a\0", tag: undefined },
      { q: "", tag: undefined },
    ];
    for (const choice of choices) {
      const count = given.filter((plant) => passes(plantFilter(choice), plant)).length;
      expect({ choice, ...(await toEnd(countMatches(opened.reads.plants, small, choice))) }).toEqual({
        choice,
        count,
        atLeast: false,
      });
    }
  });

  test("among many plants the matches are counted to the last one, frequent or rare", async () => {
    // A slow machine would come to the end of the time for it.
    using _ = spyOn(performance, "now").mockReturnValue(0);
    const counted = (q: string | undefined, tag?: string) =>
      toEnd(countMatches(opened.reads.plants, large, { q, tag }));
    expect(await counted("plant")).toEqual({ count: MANY, atLeast: false });
    expect(await counted(undefined, "even")).toEqual({ count: MANY / 2, atLeast: false });
    expect(await counted("20999")).toEqual({ count: 1, atLeast: false });
    expect(await counted(undefined, "oldest")).toEqual({ count: 1, atLeast: false });
  });

  test("the tags of an account are counted, the most frequent first, of as many by code points", async () => {
    const account = await opened.account();
    expect(await opened.reads.plants.tagCounts(account)).toEqual({ tags: [], other: 0, untagged: 0, about: false });
    const tags = ["Z", "a", "\u{e000}", "\uffff", "\u{10000}", "🌵", "\u{10ffff}"];
    const given = [...tags.toReversed(), "a", "t".repeat(201), undefined];
    await opened.records.plants.createMany(
      account,
      given.map((tag, at) => ({ id: BigInt(at), name: "Fern", tag })),
    );
    const [z = "", a = "", ...rest] = tags;
    expect(await opened.reads.plants.tagCounts(account)).toEqual({
      tags: [{ tag: a, count: 2 }, ...[z, ...rest].map((tag) => ({ tag, count: 1 }))],
      other: 1,
      untagged: 1,
      about: false,
    });
  });
});

function manyPlant(at: number): NewPlant {
  const tag =
    at === 0 ? "oldest" : at % 500 === 2 ? "each 500th" : at < MANY / 10 ? "old" : at > MANY * 0.9 ? "new" : undefined;
  return { id: BigInt(at), name: `Plant no. ${at} of many`, tag: at % 2 ? "even" : tag };
}

function countedIn(found: number, next: () => bigint) {
  const list = async () => ({ plants: Array(found), next: next() });
  return toEnd(countMatches({ count: async () => 0, list }, 1, { q: "fern", tag: undefined }));
}

test.each([
  ["at 100,000 matches", 20_000, 100_000, 6],
  ["after 20 slices", 2, 40, 20],
])("counting ends %s, and says that there are at least as many as were found", async (_, each, count, slicesMax) => {
  let slices = 0;
  expect(await countedIn(each, () => BigInt(++slices))).toEqual({ count, atLeast: true });
  expect(slices).toBe(slicesMax);
});

test("counting ends where the time for it is over", async () => {
  let now = 0;
  using _ = spyOn(performance, "now").mockImplementation(() => now);
  const slow = () => {
    now += 1000;
    return 1n;
  };
  expect(await countedIn(7, slow)).toEqual({ count: 21, atLeast: true });
});

const FOUND: Plant = { id: 7n, number: 1n, name: "a", tag: undefined, revision: 1, createdAt: 0, updatedAt: 0 };

test("pages are read until one holds a plant, the list ends, or a second is over, which is the only empty page with a next", async () => {
  const looked = async (last: { plants: Plant[]; next: bigint | undefined }, msEach: number) => {
    const starts: (bigint | undefined)[] = [];
    const list = async (_: number, { after }: PlantQuery) => {
      const at = BigInt(starts.push(after));
      return at === 20n ? last : { plants: [], next: at };
    };
    using _ = spyOn(performance, "now").mockImplementation(() => starts.length * msEach);
    const page = await toEnd(firstNonEmptyPage({ list }, 1, { ...EVERYTHING, after: -5n }));
    return { starts, page };
  };
  const found = await looked({ plants: [FOUND], next: 7n }, 10);
  expect(found.page).toEqual({ plants: [FOUND], next: 7n });
  expect([found.starts.length, ...found.starts.slice(0, 3)]).toEqual([20, -5n, 1n, 2n]);
  expect((await looked({ plants: [], next: undefined }, 10)).page).toEqual({ plants: [], next: undefined });
  expect((await looked({ plants: [FOUND], next: 7n }, 100)).page).toEqual({ plants: [], next: 10n });
});
