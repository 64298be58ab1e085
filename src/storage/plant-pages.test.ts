import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, ListedPlant, Plant } from "#core/plant.ts";
import { passes, plantFilter } from "#core/plant-filter.ts";
import type { PlantQuery, PlantRecords, ShortPage } from "#core/records.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { always, EVERYTHING, listAll, newPlant, newPlants, readAll } from "#test/support/plant-lists.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { positionOf } from "./plant-page.ts";

const EDGES = [INT64_MIN, INT64_MIN + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64_MAX - 1n, INT64_MAX];
const ID = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt(-20n, 20n), fc.bigInt(INT64_MIN, INT64_MAX));
/**
 * Letters of one case folding, signs of SQL, of its patterns and of search expressions. U+FFFF sorts after the characters
 * beyond it in UTF-16, and before them in UTF-8.
 */
const PARTS = [...'aAKſςΣß%_*"🌵İ', "SS", "\u{212a}", "ab c", "fern", "FERN", "\uffff", "\u{10000}", "\u{10ffff} fern"];
const PART = fc.constantFrom(...PARTS);
const NAME = fc.oneof(
  fc.array(PART, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.constant("x".repeat(5000)),
);
const TAG = fc.constantFrom(undefined, "", "%", "Indoor", "indoor", "\uffff", "\u{10000}", "t".repeat(5000));
const PLANTS = fc.uniqueArray(fc.record({ id: ID, name: NAME, tag: TAG }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 30,
});
const QUERY = fc.record({
  order: fc.constantFrom("id" as const, "-created_at" as const),
  limit: fc.integer({ min: 1, max: 40 }),
  q: fc.option(fc.oneof(PART, NAME), { nil: undefined }),
  tag: fc.oneof(fc.constant(undefined), TAG),
});

const hasLongText = ({ name, tag = "" }: Pick<Plant, "name" | "tag">) => name.length + tag.length > 2000;
const shown = ({ id, name, tag, createdAt, updatedAt }: Plant) => ({ id, name, tag, createdAt, updatedAt });
const fromListed = ({ id, name, tag, createdAt, updatedAt }: ListedPlant) => {
  return { id: BigInt(id), name, tag: tag ?? undefined, createdAt, updatedAt };
};

const KINDS = ["create", "change", "remove"] as const;

describeRecords("pages of plants on %s", (opened, engine) => {
  let plants: PlantRecords;
  beforeAll(() => {
    plants = opened.records.plants;
  });
  /** Does it if it can be done. */
  async function act(account: AccountNumber, { kind, at }: { kind: (typeof KINDS)[number]; at: bigint }) {
    const id = at * 2n + 1n;
    if (kind === "create") await plants.create(account, { id, name: "stays not", tag: undefined });
    else if (kind === "change") await plants.change(account, id, { name: `${at}` }, always).catch(() => {});
    else await plants.remove(account, id, always).catch(() => {});
  }

  test("of ids hold those that there are, in their order, whatever plants others have", async () => {
    await fc.assert(
      fc.asyncProperty(PLANTS, fc.uniqueArray(ID, { minLength: 1, maxLength: 100 }), async (given, others) => {
        const [account, other] = [await opened.accountWith(given), await opened.accountWith(given)];
        const all = new Map((await listAll(opened.reads.plants, account)).map((plant) => [plant.id, plant]));
        const ids = [...new Set([...others, ...all.keys()])].slice(0, 100);
        const found = await opened.reads.plants.findEach(account, ids);
        expect(found).toEqual(ids.flatMap((id) => all.get(id) ?? []));
        expect(await opened.reads.plants.findEach(other, ids)).not.toContainEqual(found[0]);
      }),
      { numRuns: 20 },
    );
  });

  test("hold what comes after any position, whatever list, order or account that position is of", async () => {
    await fc.assert(
      fc.asyncProperty(
        PLANTS,
        fc.array(QUERY, { minLength: 3, maxLength: 3 }),
        fc.array(ID, { minLength: 2, maxLength: 2 }),
        async (given, queries, positions) => {
          const account = await opened.accountWith(given);
          const all = await listAll(opened.reads.plants, account);
          const others = await listAll(opened.reads.plants, await opened.accountWith(given), { limit: 3 });
          const own = [all, others].flatMap(([plant]) => (plant ? [plant.id, plant.number] : []));
          for (const query of queries) {
            const { order } = query;
            const isAfter = (position: bigint) => (plant: Plant) =>
              order === "id" ? plant.id > position : plant.number < position;
            const sorted = all.toSorted((a, b) => {
              const [first, second] = order === "id" ? [a, b] : [b, a];
              return positionOf(order, first) < positionOf(order, second) ? -1 : 1;
            });
            const matches = sorted.filter((plant) => passes(plantFilter(query), plant));
            for (const start of [undefined, ...positions, ...own]) {
              const found = readAll(
                (after) => opened.reads.plants.list(account, { ...query, after: after ?? start }),
                query.limit,
              );
              expect(await found).toEqual(start === undefined ? matches : matches.filter(isAfter(start)));
            }
          }
        },
      ),
      { numRuns: engine === "sqlite" ? 20 : 6 },
    );
  });

  /** On a busy machine the reading of a page may last longer than it may. */
  async function shortPage(
    account: AccountNumber,
    query: PlantQuery,
    triesMax: number,
  ): Promise<ShortPage | undefined> {
    const page = await plants.listShort(account, query);
    return page ?? (triesMax > 1 ? shortPage(account, query, triesMax - 1) : undefined);
  }

  test("that are short are those that the reading threads read, in either order and from any position", async () => {
    const short = fc.record({
      order: fc.constantFrom("id" as const, "-created_at" as const),
      limit: fc.constantFrom(1, 7, 100),
    });
    await fc.assert(
      fc.asyncProperty(PLANTS, short, fc.array(ID, { minLength: 2, maxLength: 2 }), async (given, query, positions) => {
        const account = await opened.accountWith(given);
        await opened.accountWith(given);
        const own = (await listAll(opened.reads.plants, account)).flatMap(({ id, number }) => [id, number]);
        for (const after of [undefined, ...positions, ...own]) {
          const { plants: listed, next } = await opened.reads.plants.list(account, { ...EVERYTHING, ...query, after });
          // After the last position there is nothing to read.
          const mayBeLeft = listed.length === 0 || given.some(hasLongText);
          const page = await shortPage(account, { ...EVERYTHING, ...query, after }, mayBeLeft ? 1 : 20);
          const expected = { plants: listed.map(shown), next };
          if (page) expect({ plants: page.plants.map(fromListed), next: page.next }).toEqual(expected);
          else expect(mayBeLeft).toBeTrue();
        }
      }),
      { numRuns: engine === "sqlite" ? 40 : 12 },
    );
  });

  test("with a filter, more than 100 plants or a long text are left to the reading threads", async () => {
    const account = await opened.accountWith([
      newPlant(1),
      newPlant(2, "n".repeat(2000), "t".repeat(621)),
      newPlant(3, "ü".repeat(1311)),
    ]);
    const short = (query: Partial<PlantQuery>) => plants.listShort(account, { ...EVERYTHING, limit: 100, ...query });
    for (const query of [{ tag: "t" }, { tag: "" }, { q: "plant" }, { limit: 101 }, {}])
      expect(await short(query)).toBeUndefined();
    expect((await short({ limit: 1 }))?.plants).toHaveLength(1);
    await plants.remove(account, 3n, always);
    expect((await short({ q: "" }))?.plants).toHaveLength(2);
  });

  test("are read in turn by account: one that asks for many does not keep another waiting", async () => {
    const [busy, other] = [await opened.accountWith(newPlants(100)), await opened.accountWith(newPlants(1))];
    const query = { ...EVERYTHING, limit: 100 };
    // Connections are opened first, which takes as long as many pages.
    await Promise.all([busy, other, busy, other].map((account) => plants.listShort(account, query)));
    let answered = 0;
    const many = Array.from({ length: 100 }, () => plants.listShort(busy, query).then(() => answered++));
    await plants.listShort(other, query);
    expect(answered).toBeLessThan(50);
    await Promise.all(many);
  });

  test("hold each plant once that stays, while others are created, changed and removed between them", async () => {
    const change = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.bigInt(0n, 49n) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("id" as const, "-created_at" as const),
        fc.constantFrom(undefined, "stays"),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.array(change, { maxLength: 4 }), { minLength: 4, maxLength: 30 }),
        async (order, q, limit, changes) => {
          // Plants with odd ids come and go between them.
          const staying = newPlants(25).map(({ id }) => newPlant(id * 4n, "stays"));
          const account = await opened.accountWith(staying);
          const seen: Plant[] = [];
          const query = { ...EVERYTHING, order, q, limit };
          let page = await opened.reads.plants.list(account, query);
          for (let at = 0; ; at++) {
            seen.push(...page.plants);
            if (page.next === undefined) break;
            for (const step of changes[at] ?? []) await act(account, step);
            page = await opened.reads.plants.list(account, { ...query, after: page.next });
          }
          const stayed = seen.filter(({ id }) => id % 4n === 0n).map(({ id }) => id);
          const ids = staying.map(({ id }) => id);
          expect(stayed).toEqual(order === "id" ? ids : ids.reverse());
          expect(new Set(seen.map(({ number }) => number)).size).toBe(seen.length);
        },
      ),
      { numRuns: engine === "sqlite" ? 20 : 6 },
    );
  });

  test("of an account that is removed between them end, and hold nothing of another account", async () => {
    const given = newPlants(10).map(({ id }) => newPlant(id, "fern", "t"));
    const [account, other] = [await opened.holder(), await opened.accountWith(given)];
    await plants.createMany(account.account, given);
    for (const query of [{ q: "fern" }, {}, { tag: "t" }]) {
      const page = await opened.reads.plants.list(account.account, { ...EVERYTHING, ...query, limit: 4 });
      expect(page.plants).toHaveLength(4);
      expect(page.next).toBeDefined();
    }
    const pages = opened.reads.plants.export(account.account)[Symbol.asyncIterator]();
    await opened.records.stores.remove(account.account, TEST_SOURCE);
    for (const query of [{ q: "fern" }, {}, { tag: "t" }]) {
      expect(await opened.reads.plants.list(account.account, { ...EVERYTHING, ...query, after: 3n })).toEqual({
        plants: [],
        next: undefined,
      });
    }
    expect((await pages.next()).value).toBeUndefined();
    expect(await listAll(opened.reads.plants, other)).toHaveLength(10);
  });

  test("of an export that has begun give every plant as of that moment, though they are written and removed", async () => {
    const account = await opened.holder();
    const given = newPlants(3000).map(({ id }) => newPlant((id * 7919n) % 3001n));
    await plants.createMany(account.account, given);
    const before = (await listAll(opened.reads.plants, account.account, { order: "-created_at" })).reverse();
    const pages = opened.reads.plants.export(account.account);
    const first = await pages.next();
    await plants.createMany(account.account, [newPlant(5000), newPlant(-1)]);
    await plants.remove(account.account, 2999n, always);
    await plants.change(account.account, 2998n, { name: "changed" }, always);
    await opened.records.stores.remove(account.account, TEST_SOURCE);
    expect([...(first.value ?? []), ...(await Array.fromAsync(pages)).flat()]).toEqual(before);
    expect(await plants.count(account.account)).toBe(0);
  });
});
