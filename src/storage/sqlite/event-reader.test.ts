import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { SCAN_STEP_ROWS } from "#storage/event-row.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { openForWriting } from "./connection.ts";
import { SqliteEventReader } from "./event-reader.ts";

let testStore: TestStore;
/** A connection of another process. */
let other: Database;
let account: AccountNumber;
let reader: SqliteEventReader;

beforeAll(async () => {
  testStore = await openTestStore("sqlite");
  other = openForWriting(testStore.url.slice("sqlite:".length));
  reader = new SqliteEventReader(other);
  account = await testStore.account();
  const plants = Array.from({ length: SCAN_STEP_ROWS + 10 }, (_, at) => ({
    id: BigInt(at),
    name: "x",
    tag: undefined,
  }));
  await testStore.store.plants.createMany(account, plants);
}, 60_000);
afterAll(async () => {
  other.close();
  await testStore.end();
});

const everything = { after: 0n, until: INT64_MAX, limit: 10_000, types: undefined };

test("a page is read over several steps, to the number that was asked for", () => {
  const page = reader.read(account, { ...everything, until: reader.head() });
  expect(page.events).toHaveLength(SCAN_STEP_ROWS + 10);
  expect([page.more, page.next]).toEqual([false, reader.head()]);
});

test("a reader may ask from and up to any number", async () => {
  expect(() => reader.read(account, { ...everything, after: INT64_MIN })).toThrow(
    expect.objectContaining({ code: "cursor-expired" }),
  );
  expect(reader.read(account, { ...everything, after: INT64_MAX })).toEqual({
    events: [],
    next: INT64_MAX,
    more: false,
  });
  const page = reader.read(account, { ...everything, after: 5n, until: INT64_MAX });
  expect([page.events[0]?.number, page.next]).toEqual([6n, INT64_MAX]);
  expect(reader.read(account, { ...everything, after: 5n, until: 4n })).toMatchObject({ events: [], next: 5n });
  expect([reader.find(account, INT64_MIN), reader.find(account, INT64_MAX)]).toEqual([undefined, undefined]);
  expect([reader.stepBack(account, INT64_MAX, 1), reader.stepBack(account, INT64_MIN, 1)]).toEqual([
    reader.head() - 1n,
    reader.expired(),
  ]);
});
