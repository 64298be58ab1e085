import { expect, test } from "bun:test";
import { sql } from "kysely";
import { openStorage } from "#storage/open.ts";
import { ENGINES, newMigratedDatabase } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { newPlants } from "./support/plant-lists.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";
import { newAccount } from "./support/test-records.ts";

const KILLS = 5;
const CONNECTIONS = 16;
const PLANTS = newPlants(10_000);

test("five kills under load lose nothing that was acknowledged, and make nothing that was not asked for", async () => {
  let service = await startService();
  const token = await service.token();
  const acknowledged = new Set<number>();
  const unanswered = new Set<number>();
  for (let kill = 0; kill < KILLS; kill++) {
    const load = new SingleCreates(service.url, token, CONNECTIONS);
    await load.acknowledges(20 + kill * 10);
    await service.kill();
    await load.end();
    for (const id of load.acknowledged) acknowledged.add(id);
    for (const id of load.unanswered) unanswered.add(id);
    expect([...load.refused]).toEqual([]);
    service = await service.restart();
  }
  const found = await everyPlant(service.url, token);
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([]);
  expect([...found.keys()].filter((id) => !acknowledged.has(id) && !unanswered.has(id))).toEqual([]);
  expect([...found].filter(([id, name]) => name !== `n${id}`)).toEqual([]);
  expect(found.size).toBeGreaterThanOrEqual(acknowledged.size);
  expect(found.size - acknowledged.size).toBeLessThanOrEqual(KILLS * CONNECTIONS);
  expect(acknowledged.size).toBeGreaterThan(KILLS * 20);
  expect(await service.stop()).toBe(0);
});

test.each(ENGINES)(
  "a kill while a store is emptied keeps each removal with its event, and the service removes the rest by itself, on %s",
  async (engine) => {
    const DATABASE_URL = await newMigratedDatabase(engine, temporaryFolder());
    const storage = await openStorage(DATABASE_URL);
    const { db, records } = storage;
    const account = await newAccount(storage);
    for (const from of [0, 2500, 5000, 7500]) await records.plants.createMany(account, PLANTS.slice(from, from + 2500));
    const emptied_to = sql<bigint>`(SELECT max(number) FROM plants WHERE account = ${account})`;
    await db.updateTable("stores").set({ emptied_to }).where("number", "=", account).execute();
    const service = await startService({ engine, settings: { DATABASE_URL } });
    await eventually("some are removed", async () => (await records.plants.count(account)) < PLANTS.length);
    await service.kill();
    const left = await records.plants.count(account);
    expect(left).toBeGreaterThan(0);
    const told = async () =>
      (
        await sql<{ kind: number; plants: number }>`
        SELECT kind, count(DISTINCT plant_id) AS plants FROM plant_events WHERE account = ${account}
        GROUP BY kind, account HAVING count(*) = count(DISTINCT plant_id) ORDER BY kind`.execute(db as never)
      ).rows.map(({ kind, plants }) => [kind, plants]);
    expect(await told()).toEqual([0, 2].map((kind) => [kind, PLANTS.length - left]));
    // SQLite sees that the process has ended; on PostgreSQL nobody waits here until its lease is over.
    if (engine === "postgres") await db.deleteFrom("leases").where("name", "=", "emptied-stores").execute();
    const restarted = await service.restart();
    await eventually("the rest is removed", async () => (await records.plants.count(account)) === 0);
    expect(await told()).toEqual([0, 2].map((kind) => [kind, PLANTS.length]));
    expect(await restarted.stop()).toBe(0);
    await records.close();
  },
);

test("two processes on one database both take creates, and each finds what the other acknowledged; the same create is made once", async () => {
  const first = await startService();
  const token = await first.token();
  const second = await first.restart();
  const loads = [first, second].map(({ url }) => new SingleCreates(url, token, 8));
  for (const load of loads) await load.acknowledges(250);
  await Promise.all(loads.map((load) => load.end()));
  const acknowledged = loads.flatMap((load) => [...load.acknowledged]).sort((a, b) => a - b);
  for (const load of loads) expectAnswered(load);
  for (const { url } of [first, second])
    expect([...(await everyPlant(url, token)).keys()].sort((a, b) => a - b)).toEqual(acknowledged);
  await sendsOneCreateToBoth(first, second);
  expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
});

/** Every create was answered: 200, or 503 if the other process kept the lock for long. */
function expectAnswered({ refused, unanswered }: SingleCreates): void {
  expect([[...refused.keys()].filter((status) => status !== 503), unanswered.size]).toEqual([[], 0]);
}

/** The same create is answered 200 by both, and of two different ones of an id one is refused. */
async function sendsOneCreateToBoth(first: TestService, second: TestService): Promise<void> {
  const token = await first.token();
  const create = async (to: TestService, id: number, name: string): Promise<Response> => {
    const answer = await to.send("POST", "/plants", { as: token, body: { id, name } });
    return answer.status === 503 ? create(to, id, name) : answer;
  };
  for (let id = 1; id <= 25; id++) {
    const same = await Promise.all([first, second, first].map((to) => create(to, id, "n")));
    expect(same.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(same.filter((answer) => answer.headers.get("idempotent-replayed") === "true")).toHaveLength(2);
    const torn = await Promise.all([create(first, -id, "one"), create(second, -id, "other")]);
    expect(torn.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
  expect((await everyPlant(first.url, token)).size).toBe(50);
}

test("two processes that start at once on a new database both serve it", async () => {
  const folder = temporaryFolder();
  const fresh = { DATABASE_URL: `sqlite:${folder}/at-once.db` };
  const both = await Promise.all([
    startService({ settings: fresh, folder }),
    startService({ settings: fresh, folder }),
  ]);
  const token = await both[0].token();
  for (const { url } of both) {
    const load = new SingleCreates(url, token, 2);
    await load.acknowledges(10);
    await load.end();
    expectAnswered(load);
  }
  for (const service of both) expect(await service.stop()).toBe(0);
});
