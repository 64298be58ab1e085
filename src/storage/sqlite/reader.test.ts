import type { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { PlantQuery } from "#core/store.ts";
import { endThreadAfter } from "#test/support/end-thread.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/stores.ts";
import type { Storage } from "../storage.ts";
import { openForWriting } from "./connection.ts";
import { openSqlite } from "./open.ts";
import { Reader } from "./reader.ts";

const ACCOUNT: AccountNumber = 7;
const COUNT = 2000;
const fern: PlantQuery = { order: "id", limit: 10, tag: undefined, q: "fern", after: undefined };
const path = join(temporaryFolder(), "plantstore.db");
let storage: Storage;
let side: Database;

beforeAll(async () => {
  storage = await openSqlite(path);
  await newAccount(storage, ACCOUNT);
  const plants = Array.from({ length: COUNT }, (_, at): NewPlant => ({ id: BigInt(at), name: `Fern ${at}`, tag: "t" }));
  await storage.store.plants.createMany(ACCOUNT, plants);
  side = openForWriting(path);
});
afterAll(async () => {
  side.close();
  await storage.store.close();
});

/** True if someone still reads an old state of the file: then the log cannot be emptied. */
async function isHeld(): Promise<boolean> {
  await storage.store.plants.createMany(ACCOUNT, [
    { id: BigInt(-Date.now()), name: "written meanwhile", tag: undefined },
  ]);
  const { busy } = side.query("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number };
  return busy === 1;
}

test("an export holds its moment until it is read to the end, or ended early", async () => {
  const reader = new Reader(path, NO_OBSERVER);
  const first = reader.export(ACCOUNT);
  await first.next();
  expect(await isHeld()).toBe(true);
  await first.return();
  expect(await isHeld()).toBe(false);
  const second = reader.export(ACCOUNT);
  while (!(await second.next()).done);
  expect(await isHeld()).toBe(false);
  reader.close();
});

test("an export that keeps too much of the log from being used again is ended, whatever the log had before it", async () => {
  let log = { length: 50_000, looks: 0 };
  const logLength = () => {
    log.looks++;
    return log.length;
  };
  const reader = new Reader(path, NO_OBSERVER, { logLength });
  const reasons: string[] = [];
  const pages = reader.export(ACCOUNT, (reason) => void reasons.push(reason));
  await pages.next();
  const read = reader.export(ACCOUNT, (reason) => void reasons.push(reason));
  while (!(await read.next()).done);
  // The log starts again, and grows by a little less than is allowed.
  for (const length of [110_000, 3, 65_000]) {
    log = { length, looks: 0 };
    await eventually("the log was looked at", () => log.looks >= 2);
  }
  expect([reasons, await isHeld()]).toEqual([[], true]);
  log.length = 65_200;
  await eventually("the export is ended", () => reasons.length > 0);
  expect(reasons).toEqual(["it held back the reuse of more than 256 MiB of write-ahead log"]);
  await expect(pages.next()).rejects.toThrow("The export was cut: it held back");
  expect(await isHeld()).toBe(false);
  reader.close();
});

test("a page of a list or a search holds nothing once it is answered", async () => {
  const { plants } = storage.store;
  for (const order of ["id", "-created_at"] as const) {
    for (const query of [fern, { ...fern, q: "fe" }, { ...fern, q: undefined }, { ...fern, tag: "t" }]) {
      expect((await plants.list(ACCOUNT, { ...query, order })).plants).toHaveLength(10);
      expect(await isHeld()).toBe(false);
    }
  }
});

test("several exports and searches go on beside each other", async () => {
  const reader = new Reader(path, NO_OBSERVER);
  const counts = await Promise.all(
    [1, 2, 3].map(async () => {
      let count = 0;
      for await (const page of reader.export(ACCOUNT)) {
        count += page.length;
        expect((await reader.search(ACCOUNT, fern)).plants).toHaveLength(10);
      }
      return count;
    }),
  );
  expect(new Set(counts).size).toBe(1);
  expect(counts[0]).toBeGreaterThanOrEqual(COUNT);
  reader.close();
});

test("a file that cannot be opened makes a search and an export unavailable, not a fault", async () => {
  const reader = new Reader(join(temporaryFolder(), "none.db"), NO_OBSERVER);
  await expect(reader.search(ACCOUNT, fern)).rejects.toMatchObject({ code: "unavailable" });
  await expect(reader.export(ACCOUNT).next()).rejects.toMatchObject({ code: "unavailable" });
  reader.close();
});

test("closing refuses what is under way and what comes after", async () => {
  const reader = new Reader(path, NO_OBSERVER);
  const search = reader.search(ACCOUNT, fern);
  const pages = reader.export(ACCOUNT);
  const next = pages.next();
  next.catch(() => undefined);
  reader.close();
  await expect(search).rejects.toMatchObject({ code: "unavailable" });
  await expect(next).rejects.toMatchObject({ code: "unavailable" });
  await expect(reader.search(ACCOUNT, fern)).rejects.toMatchObject({ code: "unavailable" });
});

test("a thread that ends without an error leaves nobody waiting: the search under way is refused, the next one answered", async () => {
  const failures: string[] = [];
  const reader = new Reader(path, { ...NO_OBSERVER, failed: (part, error) => void failures.push(`${part}: ${error}`) });
  await reader.search(ACCOUNT, fern);
  const { search } = await endThreadAfter(() => ({ search: reader.search(ACCOUNT, fern).catch((error) => error) }));
  expect(await search).toEqual(new Error("The reading thread has ended"));
  expect(failures).toEqual(["reader: Error: The reading thread has ended"]);
  expect((await reader.search(ACCOUNT, fern)).plants).toHaveLength(10);
  reader.close();
});

test("an export whose thread ends breaks off, and is not taken for a whole one", async () => {
  const reader = new Reader(path, NO_OBSERVER);
  const pages = reader.export(ACCOUNT);
  expect((await pages.next()).value).not.toBeEmpty();
  // Another account's export waits until the page that was read ahead is there.
  for await (const page of reader.export(ACCOUNT + 1000)) expect(page).toBeEmpty();
  const other = reader.export(ACCOUNT);
  await expect((await endThreadAfter(() => ({ page: other.next().catch((error) => error) }))).page).resolves.toEqual(
    new Error("The reading thread has ended"),
  );
  const rest = (async () => {
    for await (const page of pages) expect(page).not.toBeEmpty();
  })();
  await expect(rest).rejects.toThrow("The export broke off");
  reader.close();
});
