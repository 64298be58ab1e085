import { beforeAll, beforeEach, expect, test } from "bun:test";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { describeStores } from "#test/support/stores.ts";
import { EventMarks } from "./event-marks.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-03-10T12:00:00.000Z");

describeStores("marks of the last numbers, on %s", (testStore) => {
  let marks: EventMarks;
  beforeAll(() => {
    marks = new EventMarks(testStore.storage.db, testStore.storage.atomically);
  });
  beforeEach(async () => {
    const { db } = testStore.storage;
    await db.deleteFrom("number_marks").where("at", ">", 0).execute();
    await db.updateTable("number_marks").set({ number: 0n }).execute();
  });

  async function noted(): Promise<[number, number][]> {
    const marks = testStore.storage.db.selectFrom("number_marks").selectAll().where("at", ">", 0);
    const rows = await marks.orderBy("at").execute();
    return rows.map(({ at, number }) => [Number(at) - NOW, Number(number)]);
  }

  /** An account with changes of that many plants, each of which keeps two events. */
  async function changed(count: number): Promise<AccountNumber> {
    const { plants } = testStore.store;
    const ids = Array.from({ length: count }, (_, at) => BigInt(at));
    const account = await testStore.accountWith(ids.map((id) => ({ id, name: "a", tag: undefined })));
    await Promise.all(ids.map((id) => plants.change(account, id, { name: "b" }, () => undefined)));
    return account;
  }

  const rowsOf = async (account: number) =>
    (await testStore.storage.db.selectFrom("plant_events").select("number").where("account", "=", account).execute())
      .length;

  test("are noted once an hour, whichever node asks", async () => {
    const node = await testStore.another();
    const others = new EventMarks(node.db, node.atomically);
    for (const [minutes, head] of [
      [0, 10n],
      [30, 20n],
      [59, 30n],
      [60, 40n],
      [61, 50n],
    ] as const) {
      await (minutes % 2 ? others : marks).expire(NOW + minutes * 60_000, 24 * HOUR_MS, head);
    }
    expect(await noted()).toEqual([
      [0, 10],
      [HOUR_MS, 40],
    ]);
    await node.store.close();
  });

  test("move what has expired forward to the newest that is old enough, exactly, and never back", async () => {
    const last = 2n ** 53n + 1n;
    await marks.expire(NOW, HOUR_MS, last - 1n);
    await marks.expire(NOW + HOUR_MS, 10 * HOUR_MS, last);
    expect(await marks.expired()).toBe(0n);
    await marks.expire(NOW + 2 * HOUR_MS, HOUR_MS, last + 1n);
    expect(await marks.expired()).toBe(last);
    await marks.expire(NOW + 3 * HOUR_MS, 0, 5n);
    expect(await marks.expired()).toBe(last);
  });

  test("let go of expired events slice by slice, and say whether there are more", async () => {
    const account = await changed(400);
    const head = await testStore.store.events.latest();
    expect(await rowsOf(account)).toBe(800);
    await marks.expire(NOW, HOUR_MS, head);
    expect(await marks.expire(NOW + HOUR_MS, HOUR_MS, head)).toBe(true);
    expect(await rowsOf(account)).toBe(300);
    while (await marks.expire(NOW + HOUR_MS, HOUR_MS, head));
    expect(await rowsOf(account)).toBe(0);
  });

  test("begin at the head when the feed is turned on again, and leave a feed that stays on as it was", async () => {
    await marks.turn(true, 7n);
    expect(await marks.expired()).toBe(0n);
    await marks.turn(false, 8n);
    await marks.turn(false, 9n);
    expect(await marks.expired()).toBe(INT64_MAX);
    await marks.expire(NOW, HOUR_MS, 10n);
    await marks.expire(NOW + 2 * HOUR_MS, HOUR_MS, 10n);
    expect(await marks.expired()).toBe(INT64_MAX);
    await marks.turn(true, 11n);
    expect(await marks.expired()).toBe(11n);
  });

  test("let go of all events of a removed account, and of no other's", async () => {
    const [account, other] = [await changed(300), await changed(1)];
    await marks.removeAll(account);
    expect([await rowsOf(account), await rowsOf(other)]).toEqual([0, 2]);
  });
});
