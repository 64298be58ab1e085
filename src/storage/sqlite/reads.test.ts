import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, jest, spyOn, test } from "bun:test";
import { join } from "node:path";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { PlantQuery } from "#core/records.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { openForWriting } from "./connection.ts";
import { LogHold } from "./log-hold.ts";
import { openSqliteReads } from "./reads.ts";

const COUNT = 2000;
const fern: PlantQuery = { order: "id", limit: 10, tag: undefined, q: "fern", after: undefined };
let testRecords: TestRecords;
let account: AccountNumber;
let side: Database;
let written = 0n;

beforeAll(async () => {
  testRecords = await openTestRecords("sqlite");
  const plants = Array.from({ length: COUNT }, (_, at): NewPlant => ({ id: BigInt(at), name: `Fern ${at}`, tag: "t" }));
  account = await testRecords.accountWith(plants);
  side = openForWriting(testRecords.url.slice("sqlite:".length));
});
afterAll(async () => {
  side.close();
  await testRecords.end();
});

/** True if someone still reads an old state of the file: then the log cannot be emptied. */
async function isHeld(): Promise<boolean> {
  await testRecords.records.plants.createMany(account, [{ id: --written, name: "written meanwhile", tag: undefined }]);
  const { busy } = side.query("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
  return busy === 1;
}

test("an export holds its moment until it is read to the end, or ended early", async () => {
  const { plants } = testRecords.reads;
  const first = plants.export(account);
  await first.next();
  expect(await isHeld()).toBe(true);
  await first.return();
  expect(await isHeld()).toBe(false);
  const second = plants.export(account);
  while (!(await second.next()).done);
  expect(await isHeld()).toBe(false);
});

test("a snapshot that keeps too much of the log from being used again is to be let go, whatever the log had before it", () => {
  const MIB = 1024 * 1024;
  let bytes = 200 * MIB;
  const reasons: string[] = [];
  jest.useFakeTimers();
  const end = new LogHold(() => bytes).watch((reason) => void reasons.push(reason));
  // The log starts again, and grows by a little less than is allowed.
  for (bytes of [430 * MIB, 1, 256 * MIB]) jest.advanceTimersByTime(1000);
  expect(reasons).toEqual([]);
  bytes = 257 * MIB;
  jest.advanceTimersByTime(1000);
  expect(reasons).toEqual(["it held back the reuse of more than 256 MiB of write-ahead log"]);
  end();
  jest.useRealTimers();
});

test("a page of a list or a search holds nothing once it is answered", async () => {
  const { plants } = testRecords.reads;
  for (const order of ["id", "-created_at"] as const) {
    for (const query of [fern, { ...fern, q: "fe" }, { ...fern, q: undefined }, { ...fern, tag: "t" }]) {
      expect((await plants.list(account, { ...query, order })).plants).toHaveLength(10);
      expect(await isHeld()).toBe(false);
    }
  }
});

test("a file that cannot be opened makes reading unavailable, not a fault", () => {
  const file = join(temporaryFolder(), "none.db");
  expect(() => openSqliteReads(file)).toThrow(expect.objectContaining({ code: "unavailable" }));
});

test("a page that a slow disk gives late is left to the reading threads", async () => {
  const page = () => testRecords.records.plants.listShort(account, { ...fern, q: undefined });
  expect((await page())?.plants).toHaveLength(10);
  const { now } = performance;
  let ms = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) + ms++);
  expect(await page()).toBeUndefined();
  clock.mockRestore();
  expect(await page()).toBeDefined();
});
