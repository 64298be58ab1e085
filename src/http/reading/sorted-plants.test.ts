import { expect, test } from "bun:test";
import { SORTED_PLANTS_MAX } from "#contract/dashboard/sorted-plants.ts";
import type { AccountNumber } from "#core/plant.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { toEnd } from "./in-turns.ts";
import { type SortedQuery, sortedPlants } from "./sorted-plants.ts";

const PLANTS = [
  { id: 1n, name: "oak", tag: "tree" },
  { id: 2n, name: "Ärenpreis", tag: undefined },
  { id: 3n, name: "Aloe", tag: "Indoor" },
  { id: 4n, name: "Fern", tag: "indoor" },
  { id: 5n, name: "fern", tag: "tree" },
];

describeRecords("sorted plants on %s", (opened) => {
  async function ids(account: AccountNumber, query: Partial<SortedQuery>): Promise<string> {
    const seen: bigint[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const asked: SortedQuery = { order: "name", limit: 2, q: undefined, tag: undefined, ...query, offset };
      const page = await toEnd(sortedPlants(opened.reads.plants, account, asked));
      seen.push(...page.plants.map(({ id }) => id));
      offset = page.next;
    }
    return seen.join();
  }

  test("come page by page by name or tag, upper and lower case and accents alike, those without a tag last", async () => {
    const [account, other] = [await opened.account(), await opened.account()];
    await opened.records.plants.create(other, { id: 9n, name: "Abroad", tag: "a" });
    for (const plant of PLANTS) await opened.records.plants.create(account, plant);
    expect(await ids(account, {})).toBe("3,2,4,5,1");
    expect(await ids(account, { order: "-name" })).toBe("1,4,5,2,3");
    expect(await ids(account, { order: "tag" })).toBe("3,4,1,5,2");
    expect(await ids(account, { order: "-tag" })).toBe("1,5,3,4,2");
    expect(await ids(account, { q: "fern" })).toBe("4,5");
    expect(await ids(account, { tag: "tree" })).toBe("5,1");
  });

  test("of more than 20,000 are refused with a sentence", async () => {
    const account = await opened.account();
    const plants = Array.from({ length: SORTED_PLANTS_MAX + 1 }, (_, at) => {
      return { id: BigInt(at), name: `Rose ${at}`, tag: at < 2 ? "few" : undefined };
    });
    for (let at = 0; at < plants.length; at += 1000)
      await opened.records.plants.createMany(account, plants.slice(at, at + 1000));
    const sentence = "Cannot sort by name: more than 20,000 plants match; search for fewer";
    await expect(ids(account, {})).rejects.toThrow(sentence);
    expect(await ids(account, { tag: "few" })).toBe("0,1");
  }, 30_000);
});
