import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import pg from "pg";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { atEnd } from "#test/support/at-end.ts";
import { testCaller } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { newPlants } from "#test/support/plant-lists.ts";
import { queryOnce } from "#test/support/query.ts";
import { ROOT } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openWebhookNode, type WebhookNode } from "#test/support/webhook-node.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

const NODES = 3;
const ENDPOINTS = 6;
const EVENTS = 100;
const ENDPOINT = { types: undefined, version: "1.0.0", description: "", delivery: "each", from: undefined } as const;

const url = await newPostgresDatabase();
const nodes: Storage[] = [];
for (let at = 0; at < NODES; at++) nodes.push(await openStorage(url));
const account = await newAccount(nodes[0] as Storage);
afterAll(async () => {
  for (const { records } of nodes) await records.close();
});

/** A create whose transaction draws its number and commits much later, as under a slow disk or a stalled client. */
async function slowCreate(client: pg.Client, id: number): Promise<void> {
  await client.query("BEGIN");
  await client.query(
    `WITH started AS MATERIALIZED (SELECT pg_current_xact_id() AS transaction)
     INSERT INTO plants (number, account, id, name, created_at, updated_at)
     SELECT nextval('plant_number'), $1, $2, 'slow', 0, 0 FROM started`,
    [account, id],
  );
  await Bun.sleep(20 + Math.random() * 150);
  await client.query(Math.random() < 0.1 ? "ROLLBACK" : "COMMIT");
}

test("a reader by cursor loses nothing and sees nothing twice, while several nodes create and some commits are slow", async () => {
  const seen: bigint[] = [];
  let creating = true;
  const tail = (async () => {
    for (let after = 0n; ; ) {
      const stopped = !creating;
      const page = await readFeed(nodes[0] as Storage, account, { after, limit: 500 });
      after = page.next;
      seen.push(...page.events.map(({ plant }) => plant.id));
      if (stopped && !page.more && page.events.length === 0) return;
      if (page.events.length === 0) await Bun.sleep(5);
    }
  })();
  const clients = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    }),
  );
  const slow = clients.map(async (client, at) => {
    for (let round = 0; round < 30; round++) await slowCreate(client, 1_000_000 + at * 1000 + round);
    await client.end();
  });
  const fast = nodes.map(async ({ records }, at) => {
    for (let round = 0; round < 80; round++) {
      const batch = newPlants(10, at * 100_000 + round * 10);
      await Promise.all(batch.map((plant) => records.plants.create(account, plant)));
    }
  });
  await Promise.all([...slow, ...fast]);
  creating = false;
  await tail;
  const rows = await queryOnce<{ id: string }>(url, "SELECT id::text FROM plants WHERE account = $1", [account]);
  expect(seen.length).toBe(new Set(seen).size);
  expect(new Set(seen)).toEqual(new Set(rows.map(({ id }) => BigInt(id))));
  expect(rows.length).toBeGreaterThan(2400);
});

test("of three nodes one dies: every event of every endpoint arrives, delivered by those that are left", async () => {
  const receiver = new WebhookReceiver();
  const running = nodes.map((storage) => openWebhookNode(storage, url));
  const [first] = running as [WebhookNode];
  for (let at = 0; at < ENDPOINTS; at++)
    await first.api.create(testCaller(account), { ...ENDPOINT, url: receiver.url });
  // Nodes without endpoints look for new ones every 10 s.
  for (const { jobs, delivery } of running) jobs.start(delivery.job);
  await eventually("each node holds endpoints", async () => {
    const [row] = await queryOnce<{ holders: number }>(
      url,
      "SELECT count(DISTINCT holder)::int AS holders FROM webhook_endpoints WHERE holder IS NOT NULL",
    );
    return row?.holders === NODES;
  });
  const { plants } = (nodes[0] as Storage).records;
  for (let id = 0; id < EVENTS; id++) {
    await plants.create(account, { id: BigInt(5_000_000 + id), name: "x", tag: undefined });
    if (id === EVENTS / 2) running[1]?.delivery.abandon();
    if (id === EVENTS / 2) void running[1]?.jobs.close();
  }
  const counts = () => {
    const byEvent = new Map<string, number>();
    for (const { id } of receiver.received) byEvent.set(id, (byEvent.get(id) ?? 0) + 1);
    return byEvent;
  };
  await eventually(
    "each event came for each endpoint",
    () => counts().size === EVENTS && [...counts().values()].every((count) => count >= ENDPOINTS),
  );
  for (const { jobs } of running) await jobs.close();
  await receiver.stop();
  for (const { id } of await first.api.list({ account })) await first.api.remove(testCaller(account), id);
});

test("a node that is killed after it delivered and before it wrote that down loses nothing: another one delivers it again", async () => {
  const [storage] = nodes as [Storage];
  const another = await newAccount(storage);
  const { api, jobs, delivery } = openWebhookNode(storage, url);
  const killed = Bun.spawn([process.execPath, join(ROOT, "test/support/webhook-node.ts"), url], { cwd: ROOT });
  atEnd(() => killed.kill("SIGKILL"));
  const receiver = new WebhookReceiver();
  const written = Promise.withResolvers<void>();
  receiver.beforeAnswer = async () => {
    if (receiver.received.length > 100) await written.promise;
    if (receiver.received.length >= 150) setTimeout(() => killed.kill("SIGKILL"));
    await Bun.sleep(10);
  };
  const { id } = (await api.create(testCaller(another), { ...ENDPOINT, url: receiver.url })).endpoint;
  const read = "SELECT position FROM webhook_endpoints WHERE id = $1";
  const position = async () => (await queryOnce<{ position: string }>(url, read, [id]))[0]?.position;
  const start = await position();
  await storage.records.plants.createMany(another, newPlants(300));
  await eventually("the position is written", async () => (await position()) !== start);
  written.resolve();
  await killed.exited;
  const before = receiver.received.length;
  expect(before).toBeLessThan(300);
  jobs.start(delivery.job);
  await eventually("each event came", () => receiver.plants.length === 300);
  expect(receiver.received.length).toBeGreaterThan(300);
  expect(receiver.received.length).toBeLessThan(300 + before);
  await jobs.close();
  await receiver.stop();
});
