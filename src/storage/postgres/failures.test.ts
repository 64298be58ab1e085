import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import pg from "pg";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import { eventually } from "#test/support/eventually.ts";
import { always, exportAll, listAll, newPlants } from "#test/support/plant-lists.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";

const fern: NewPlant = { id: 1n, name: "Fern", tag: "shade" };
const MAYBE_STORED = { code: "unavailable", message: expect.stringContaining("it may have been kept or not") };

let testRecords: TestRecords;
let plants: PlantRecords;
let account: AccountNumber;
/** Another program on the same database. */
let other: pg.Client;
/** Looks at connections outside of any transaction, in which it would see what it saw first. */
let watcher: pg.Client;

beforeAll(async () => {
  testRecords = await openTestRecords("postgres");
  plants = testRecords.records.plants;
  other = new pg.Client(testRecords.url);
  watcher = new pg.Client(testRecords.url);
  await Promise.all([other.connect(), watcher.connect()]);
});
beforeEach(async () => {
  account = await testRecords.account();
  await plants.create(account, fern);
});
// The lock of a test that failed would let the next ones wait until their time limits.
afterEach(() => other.query("ROLLBACK"));
afterAll(async () => {
  await Promise.all([other.end(), watcher.end()]);
  await testRecords.end();
});

/** Ends the connections of the service for which that holds, and returns how many there were. */
async function endConnections(where: string): Promise<number> {
  const { rows } = await watcher.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'plantstore' AND ${where}`,
  );
  return rows.length;
}

const waitsForLock = "wait_event_type = 'Lock'";

describe("a row that another program has locked", () => {
  beforeEach(async () => {
    await other.query("BEGIN");
    await other.query("SELECT FROM plants WHERE account = $1 AND id = 1 FOR UPDATE", [account]);
  });

  test("is waited for by a change, and other plants are written and removed meanwhile", async () => {
    const changing = plants.change(account, 1n, { name: "changed" }, always);
    expect(await plants.create(account, { ...fern, id: 2n })).toBe("created");
    await plants.remove(account, 2n, always);
    expect(await Promise.race([changing, "still waiting"])).toBe("still waiting");
    await other.query("COMMIT");
    expect(await changing).toMatchObject({ name: "changed", revision: 2 });
  });

  test("keeps no other plant waiting, however many changes of it wait", async () => {
    const next = await testRecords.accountWith([fern]);
    const changes = Array.from({ length: 600 }, () => plants.change(account, 1n, { name: "changed" }, always));
    const { number = 0n } = (await plants.find(next, 1n)) ?? {};
    expect(await testRecords.records.events.find(next, number)).toMatchObject({ plant: { name: "Fern" } });
    expect(await plants.change(next, 1n, { name: "theirs" }, always)).toMatchObject({ revision: 2 });
    await plants.remove(next, 1n, always);
    expect(await plants.create(account, { ...fern, id: 2n })).toBe("created");
    await other.query("COMMIT");
    for (const changed of await Promise.all(changes)) expect(changed).toMatchObject({ name: "changed", revision: 2 });
  });

  test("refuses a change that waits for longer than a request may, of which nothing is kept", async () => {
    const refused = expect.objectContaining({
      code: "unavailable",
      message: expect.stringContaining("nothing of it was kept"),
    });
    expect(await plants.change(account, 1n, { name: "changed" }, always).catch((error) => error)).toEqual(refused);
    await other.query("COMMIT");
    expect(await plants.find(account, 1n)).toMatchObject({ name: "Fern", revision: 1 });
  });
});

test("a change whose connection dies in the middle of its batch is told so, and can be sent again", async () => {
  await other.query(`
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_advisory_xact_lock(78);
      RETURN NEW;
    END $$`);
  await other.query(
    "CREATE TRIGGER wait_for_test BEFORE UPDATE ON plants FOR EACH ROW EXECUTE FUNCTION wait_for_test()",
  );
  await other.query("BEGIN");
  await other.query("SELECT pg_advisory_xact_lock(78)");
  const changing = plants.change(account, 1n, { name: "changed" }, always).catch((error) => error);
  await eventually("the change's connection is ended", async () => (await endConnections(waitsForLock)) === 1);
  expect(await changing).toMatchObject(MAYBE_STORED);
  await other.query("COMMIT");
  expect(await plants.find(account, 1n)).toMatchObject({ name: "Fern", revision: 1 });
  expect(await plants.change(account, 1n, { name: "changed" }, always)).toMatchObject({ revision: 2 });
  await other.query("DROP TRIGGER wait_for_test ON plants");
});

test("creates whose connection dies in the middle of their batch are told so, and can be sent again", async () => {
  const given = [10n, 11n, 12n].map((id) => ({ ...fern, id }));
  await other.query("BEGIN");
  await other.query(
    "INSERT INTO plants (number, account, id, name, created_at, updated_at) VALUES (-1, $1, 11, 'theirs', 0, 0)",
    [account],
  );
  const creating = given.map((plant) => plants.create(account, plant).catch((error) => error));
  await eventually("the batch's connection is ended", async () => (await endConnections(waitsForLock)) === 1);
  for (const outcome of await Promise.all(creating)) expect(outcome).toMatchObject(MAYBE_STORED);
  await other.query("ROLLBACK");
  expect(await plants.createMany(account, given)).toEqual(["created", "created", "created"]);
  expect([await plants.count(account), (await listAll(testRecords.reads.plants, account)).length]).toEqual([4, 4]);
});

test("what was rolled back to let another transaction pass is written again: creates, a change and a removal", async () => {
  await other.query("CREATE SEQUENCE conflicts");
  await other.query(`
    CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      -- A statement may change, remove and insert: it counts once.
      IF current_setting('test.counted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        PERFORM set_config('test.counted', pg_current_xact_id()::text, true);
        IF nextval('conflicts') % 2 = 1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = 'serialization_failure'; END IF;
      END IF;
      RETURN coalesce(NEW, OLD);
    END $$`);
  await other.query(`
    CREATE TRIGGER conflict BEFORE INSERT OR UPDATE OR DELETE ON plants FOR EACH STATEMENT EXECUTE FUNCTION conflict()`);
  expect(await plants.create(account, { ...fern, id: 2n })).toBe("created");
  expect(await plants.createMany(account, [{ ...fern, id: 3n }, fern])).toEqual(["created", "unchanged"]);
  expect(await plants.change(account, 1n, { name: "changed" }, always)).toMatchObject({ revision: 2 });
  await plants.remove(account, 2n, always);
  await other.query("DROP TRIGGER conflict ON plants");
  expect([await plants.count(account), (await listAll(testRecords.reads.plants, account)).map(({ id }) => id)]).toEqual(
    [2, [1n, 3n]],
  );
});

test("a reader whose connection dies in the middle of an export is told so; the next export is whole", async () => {
  for (let from = 10; from < 2010; from += 500) await plants.createMany(account, newPlants(500, from));
  const pages = testRecords.reads.plants.export(account)[Symbol.asyncIterator]();
  expect((await pages.next()).value?.length).toBeLessThan(2000);
  expect(await endConnections("state = 'idle in transaction'")).toBe(1);
  await expect(pages.next()).rejects.toMatchObject({ code: "unavailable" });
  expect(await exportAll(testRecords.reads.plants, account)).toHaveLength(2001);
});
