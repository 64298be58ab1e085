import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { PlantStore } from "#core/store.ts";
import { ENGINES } from "#test/support/engines.ts";
import { readFeed } from "#test/support/feed.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";

const HOUR_MS = 3_600_000;
const always = () => undefined;
const never = () => {
  throw new Failure("precondition-failed", "not this one");
};

describe.each(ENGINES)("changes of plants on %s", (engine) => {
  let opened: TestStore;
  let plants: PlantStore;
  beforeAll(async () => {
    opened = await openTestStore(engine);
    plants = opened.store.plants;
  }, 60_000);
  afterEach(() => void setSystemTime());
  afterAll(() => opened.end());

  async function accountWith(...given: NewPlant[]): Promise<AccountNumber> {
    const account = await opened.account();
    await plants.createMany(account, given);
    return account;
  }

  const fern: NewPlant = { id: 1n, name: "Fern", tag: "shade" };

  test("a change keeps what it leaves out, raises the revision by one, and keeps the time of creation", async () => {
    const account = await accountWith(fern);
    const before = await plants.find(account, 1n);
    const changed = await plants.change(account, 1n, { name: "Fern, large" }, always);
    expect(changed).toMatchObject({ id: 1n, name: "Fern, large", tag: "shade", revision: 2 });
    expect(changed.createdAt).toBe(before?.createdAt as number);
    expect(changed.number).toBe(before?.number as bigint);
    expect(changed.updatedAt).toBeGreaterThanOrEqual(changed.createdAt);
    expect(await plants.find(account, 1n)).toEqual(changed);
    expect(await plants.change(account, 1n, { tag: null }, always)).toMatchObject({ tag: undefined, revision: 3 });
  });

  test("a change that changes nothing leaves the revision and the time of the last change", async () => {
    const account = await accountWith(fern);
    const before = await plants.find(account, 1n);
    expect(await plants.change(account, 1n, { name: "Fern", tag: "shade" }, always)).toEqual(before as never);
    expect(await plants.change(account, 1n, {}, always)).toEqual(before as never);
    expect(await plants.find(account, 1n)).toEqual(before as never);
  });

  test("the time of a change and of a removal never goes back, even if the clock does", async () => {
    const account = await accountWith(fern);
    const start = await opened.store.events.latest();
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

  test("a plant that is not there, or in another account, is unknown; one that does not meet the condition stays", async () => {
    const account = await accountWith(fern);
    const other = await opened.account();
    for (const [whose, id] of [
      [account, 2n],
      [other, 1n],
    ] as const) {
      await expect(plants.change(whose, id, { name: "x" }, always)).rejects.toMatchObject({ code: "plant-unknown" });
      await expect(plants.remove(whose, id, always)).rejects.toMatchObject({ code: "plant-unknown" });
    }
    await expect(plants.change(account, 1n, { name: "x" }, never)).rejects.toMatchObject({
      code: "precondition-failed",
    });
    await expect(plants.remove(account, 1n, never)).rejects.toMatchObject({ code: "precondition-failed" });
    expect(await plants.find(account, 1n)).toMatchObject({ name: "Fern", revision: 1 });
  });

  test("of changes at once each is made on the one before: none is lost, and the revision counts them all", async () => {
    const account = await accountWith(fern);
    const names = Array.from({ length: 20 }, (_, at) => `Fern ${at}`);
    const changed = await Promise.all(names.map((name) => plants.change(account, 1n, { name }, always)));
    expect(changed.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(names.map((_, at) => at + 2));
    expect(await plants.find(account, 1n)).toMatchObject({ revision: 21 });
  });

  test("of removals at once one is made, and the others find no plant", async () => {
    const account = await accountWith(fern);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => plants.remove(account, 1n, always)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await plants.count(account)).toBe(0);
  });

  test("the count follows creates, repeated creates and removals, of every account apart", async () => {
    const account = await accountWith(fern, { ...fern, id: 2n });
    const other = await accountWith(fern);
    await plants.createMany(account, [fern, { ...fern, name: "another" }, { ...fern, id: 3n }, { ...fern, id: 3n }]);
    await plants.create(account, { ...fern, id: 4n });
    expect(await plants.count(account)).toBe(4);
    await plants.change(account, 2n, { name: "changed" }, always);
    await plants.remove(account, 2n, always);
    expect(await plants.count(account)).toBe(3);
    expect(await plants.count(other)).toBe(1);
    expect(await plants.count(await opened.account())).toBe(0);
  });

  test("a plant that takes a removed one's id is another: a new number, and revision 1", async () => {
    const account = await accountWith(fern);
    const first = await plants.find(account, 1n);
    await plants.change(account, 1n, { name: "changed" }, always);
    await plants.remove(account, 1n, always);
    expect(await plants.create(account, fern)).toBe("created");
    const second = await plants.find(account, 1n);
    expect(second).toMatchObject({ revision: 1, name: "Fern" });
    expect(second?.number).toBeGreaterThan(first?.number as bigint);
  });
});
