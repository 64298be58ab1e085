import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import type { AccountNumber } from "#core/plant.ts";
import { eventually } from "#test/support/eventually.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { JoinedFinds } from "./joined-finds.ts";
import { Pool, type TimedQuery, WAIT_MS_MAX } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";

let records: TestRecords;
let pool: Pool;
/** The ids that each query asked for, with their accounts, in order. */
let queries: string[][];
/** How many queries were under way when each began, with itself. */
let underWay: number[] = [];
let asking = 0;
/** Queries are sent once it resolves. */
let held = Promise.resolve();

beforeAll(async () => {
  records = await openTestRecords("postgres");
  pool = new Pool(records.url, { sizeMax: 4, ...COMMAND_WAITS });
  const query = pool.query.bind(pool);
  pool.query = ((asked: TimedQuery, values: Buffer[]) => {
    const [accounts = [], ids = []] = values.map(int8s);
    queries.push(ids.map((id, at) => `${accounts[at]}:${id}`));
    underWay.push(++asking);
    return held.then(() => query(asked, values)).finally(() => asking--);
  }) as typeof pool.query;
});
afterAll(async () => {
  await pool.end();
  await records.end();
});

/** The elements of a binary array of int8, each of which follows its length. */
function int8s(array: Buffer): bigint[] {
  return Array.from({ length: array.readInt32BE(12) }, (_, at) => array.readBigInt64BE(20 + 12 * at + 4));
}

test("finds that wait together are one query, each plant is asked for once, and each caller has their own plant", async () => {
  const account = await records.accountWith(newPlants(5));
  const finds = new JoinedFinds(pool);
  queries = [];
  const found = await Promise.all([0n, 1n, 1n, 4n, 99n].map((id) => finds.find(account, id)));
  expect(found.map((plant) => plant?.id)).toEqual([0n, 1n, 1n, 4n, undefined]);
  expect(queries).toEqual([["0", "1", "4", "99"].map((id) => `${account}:${id}`)]);
});

test("a find sees what was answered before it, although a query is under way", async () => {
  const account = await records.accountWith(newPlants(1));
  const finds = new JoinedFinds(pool);
  for (let revision = 1; revision < 20; revision++) {
    const early = finds.find(account, 0n);
    await records.records.plants.change(account, 0n, { name: `changed ${revision}` }, () => {});
    expect(await finds.find(account, 0n)).toMatchObject({ revision: revision + 1 });
    await early;
  }
});

test("accounts take turns, so that one with many finds keeps no other waiting, and two queries at most are under way", async () => {
  const [many, few] = (await Promise.all([records.accountWith(newPlants(1)), records.accountWith(newPlants(1))])) as [
    AccountNumber,
    AccountNumber,
  ];
  const finds = new JoinedFinds(pool);
  const free = Promise.withResolvers<void>();
  [queries, underWay, held] = [[], [], free.promise];
  const all = Array.from({ length: 500 }, (_, id) => finds.find(many, BigInt(id)));
  const other = finds.find(few, 0n);
  await eventually("two queries are under way", () => asking >= 2);
  free.resolve();
  await other;
  expect(queries.findIndex((ids) => ids.includes(`${few}:0`))).toBe(0);
  await Promise.all(all);
  // The other connections stay free for jobs.
  expect(Math.max(...underWay)).toBe(2);
});

test("a find whose request has waited for too long is refused, and is not asked for any more", async () => {
  const account = await records.accountWith(newPlants(1));
  const finds = new JoinedFinds(pool);
  const free = Promise.withResolvers<void>();
  [queries, held] = [[], free.promise];
  const early: unknown[] = [];
  for (; queries.length < 2; await Bun.sleep(0)) early.push(finds.find(account, 0n).catch(() => {}));
  const late = finds.find(account, 0n).catch(({ code }) => code);
  const now = spyOn(performance, "now").mockReturnValue(performance.now() + WAIT_MS_MAX);
  free.resolve();
  expect(await late).toBe("unavailable");
  now.mockRestore();
  await Promise.all(early);
  expect(queries).toHaveLength(2);
});
