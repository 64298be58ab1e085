import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import { ENGINES } from "#test/support/engines.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { SCAN_STEP_ROWS } from "./event-row.ts";

const PLANTS = SCAN_STEP_ROWS + 10;

describe.each(ENGINES)("a reader of the feed on %s", (engine) => {
  let testStore: TestStore;
  let account: AccountNumber;
  let head: bigint;
  beforeAll(async () => {
    testStore = await openTestStore(engine);
    account = await testStore.account();
    const plants = Array.from({ length: PLANTS }, (_, at): NewPlant => ({ id: BigInt(at), name: "x", tag: undefined }));
    await testStore.store.plants.createMany(account, plants);
    head = await testStore.store.events.latest();
    await testStore.store.plants.createMany(await testStore.account(), plants.slice(0, 2));
  }, 60_000);
  afterAll(() => testStore.end());

  const everything = { after: 0n, until: INT64_MAX, limit: 10_000, types: undefined };

  test("reads a page over several steps, to the number that was asked for", async () => {
    const page = await testStore.reads.events.read(account, { ...everything, until: head });
    expect(page.events).toHaveLength(PLANTS);
    expect([page.more, page.next]).toEqual([false, head]);
  });

  test("may ask from and up to any number", async () => {
    const { events } = testStore.reads;
    const last = { events: [], next: INT64_MAX, more: false };
    await expect(events.read(account, { ...everything, after: INT64_MIN })).rejects.toMatchObject({
      code: "cursor-expired",
    });
    expect(await events.read(account, { ...everything, after: INT64_MAX })).toEqual(last);
    const page = await events.read(account, { ...everything, after: 5n });
    expect([page.events[0]?.number, page.next]).toEqual([6n, INT64_MAX]);
    expect(await events.read(account, { ...everything, after: 5n, until: 4n })).toMatchObject({ events: [], next: 5n });
    for (const number of [INT64_MIN, INT64_MAX])
      expect(await testStore.store.events.find(account, number)).toBeUndefined();
    expect(await events.stepBack(account, INT64_MAX, 1)).toBe(head - 1n);
    expect(await events.stepBack(account, INT64_MIN, 1)).toBe(await events.oldest());
  });
});
