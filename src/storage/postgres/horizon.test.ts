import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { Horizon } from "./horizon.ts";
import { Pool } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";

let testRecords: TestRecords;
let pool: Pool;
let horizon: Horizon;
/** Other transactions, under way beside those of the service. */
let [first, second]: [pg.Client, pg.Client] = [new pg.Client(), new pg.Client()];

beforeAll(async () => {
  testRecords = await openTestRecords("postgres");
  pool = new Pool(testRecords.url, { sizeMax: 2, ...COMMAND_WAITS });
  [first, second] = [new pg.Client(testRecords.url), new pg.Client(testRecords.url)];
  await Promise.all([first.connect(), second.connect()]);
});
beforeEach(() => {
  horizon = new Horizon(pool);
});
afterAll(async () => {
  await Promise.all([first.end(), second.end(), pool.end()]);
  await testRecords.end();
});

/** Begins a transaction that draws a number, after its id as every one must. */
async function draw(client: pg.Client): Promise<bigint> {
  await client.query("BEGIN");
  await client.query("SELECT pg_current_xact_id()");
  const { rows } = await client.query<{ number: string }>("SELECT nextval('plant_number')::text AS number");
  return BigInt(rows[0]?.number ?? 0);
}

test("a number is settled once its transaction has ended, whether it was committed or rolled back, and none before a look", async () => {
  expect([horizon.settled, horizon.settledAt]).toEqual([0n, Number.NEGATIVE_INFINITY]);
  for (const end of ["COMMIT", "ROLLBACK"]) {
    const number = await draw(first);
    expect(await horizon.refresh(60)).toBeLessThan(number);
    const waiting = horizon.refresh(60_000);
    await first.query(end);
    expect(await waiting).toBeGreaterThanOrEqual(number);
    expect(horizon.settledAt).toBeLessThanOrEqual(performance.now());
  }
});

test("a later number that was committed first is not settled before the earlier one", async () => {
  const earlier = await draw(first);
  const later = await draw(second);
  await second.query("COMMIT");
  expect(await horizon.refresh(60)).toBeLessThan(earlier);
  await first.query("COMMIT");
  expect(await horizon.refresh(60_000)).toBeGreaterThanOrEqual(later);
});

test("a transaction that began later does not hold back what was drawn before it", async () => {
  const before = await draw(first);
  await first.query("COMMIT");
  expect(await horizon.refresh(60_000)).toBeGreaterThanOrEqual(before);
  const held = await draw(second);
  expect(await horizon.refresh(60)).toBeLessThan(held);
  expect(horizon.settled).toBeGreaterThanOrEqual(before);
  await second.query("ROLLBACK");
});

test("a database out of reach is unavailable, and the next look moves on", async () => {
  await pool.query("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
  const broken = new Pool("postgres://nobody@127.0.0.1:1/none", { sizeMax: 1 });
  await expect(new Horizon(broken).refresh(500)).rejects.toMatchObject({ code: "unavailable" });
  await broken.end();
  const number = await draw(first);
  await first.query("COMMIT");
  expect(await horizon.refresh(60_000)).toBeGreaterThanOrEqual(number);
});
