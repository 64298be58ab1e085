import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import { removal, TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";

const plants = (count: number): NewPlant[] =>
  Array.from({ length: count }, (_, id) => ({ id: BigInt(id), name: `Fern ${id}`, tag: undefined }));

const outcomeOf = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof Failure ? error.code : error));

describe.each(ENGINES)("on %s", (engine) => {
  let testStore: TestStore;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
  }, 60_000);
  afterAll(() => testStore.end());

  async function kept(account: AccountNumber): Promise<number> {
    const { db } = testStore.storage;
    const query = db
      .selectFrom("plants")
      .select((row) => row.fn.countAll().as("rows"))
      .where("account", "=", account);
    return Number((await query.executeTakeFirstOrThrow()).rows);
  }

  test("a create and a bulk create of an account that was removed are refused, and leave nothing behind", async () => {
    const { store } = testStore;
    const [removed, other] = [await testStore.account(), await testStore.account()];
    await store.accounts.remove(removal(removed), TEST_SOURCE);
    const [first] = plants(1) as [NewPlant];
    const outcomes = await Promise.all([
      outcomeOf(store.plants.create(other, first)),
      outcomeOf(store.plants.create(removed, first)),
      outcomeOf(store.plants.createMany(removed, plants(20))),
      outcomeOf(store.plants.createMany(other, plants(2))),
    ]);
    expect(outcomes).toEqual(["created", "token-refused", "token-refused", ["unchanged", "created"]]);
    expect([await kept(removed), await kept(other)]).toEqual([0, 2]);
  });

  test("creates that are under way while their account is removed leave nothing behind", async () => {
    const { store, storage } = testStore;
    const account = await testStore.account();
    const creates = plants(600).map(async (plant, index) => {
      await Bun.sleep(index / 10);
      return outcomeOf(store.plants.create(account, plant));
    });
    await Bun.sleep(20);
    await store.accounts.remove(removal(account), TEST_SOURCE);
    // On a busy machine all of them may have been written before the removal.
    const late = outcomeOf(store.plants.create(account, { id: 600n, name: "Fern 600", tag: undefined }));
    expect(new Set(await Promise.all([...creates, late]))).toEqual(new Set(["created", "token-refused"]));
    const sweep = storage.jobs.find(({ name }) => name === "removed-accounts");
    await sweep?.run({ now: Date.now(), signal: new AbortController().signal });
    expect([await kept(account), await store.plants.count(account)]).toEqual([0, 0]);
  });

  test("a removed account is swept again until no node can write for it any more", async () => {
    const { storage } = testStore;
    const account = await testStore.account();
    await testStore.store.accounts.remove(removal(account), TEST_SOURCE);
    const sweep = storage.jobs.find(({ name }) => name === "removed-accounts");
    const listed = () =>
      storage.db.selectFrom("removed_accounts").select("number").where("number", "=", account).execute();
    const { signal } = new AbortController();
    await sweep?.run({ now: Date.now(), signal });
    expect(await listed()).toHaveLength(1);
    await sweep?.run({ now: Date.now() + 60_000, signal });
    expect(await listed()).toEqual([]);
  });
});
