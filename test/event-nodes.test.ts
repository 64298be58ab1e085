import { afterAll, beforeAll, expect, test } from "bun:test";
import pg from "pg";
import { NO_OBSERVER } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import { JobRunner } from "#jobs/job-runner.ts";
import { MemoryLeases } from "#jobs/memory-leases.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { WebhookWork } from "#storage/webhook-work.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { newAccount } from "#test/support/stores.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";
import { AllowedNetworks, systemLookup } from "#webhooks/address.ts";
import { DeliveryService } from "#webhooks/delivery-service.ts";
import { SecretSealer } from "#webhooks/sealed-secret.ts";
import { Webhooks } from "#webhooks/webhook-service.ts";

const NODES = 3;
let url: string;
let nodes: Storage[];
let account: AccountNumber;

beforeAll(async () => {
  url = await newPostgresDatabase();
  nodes = [];
  for (let at = 0; at < NODES; at++) nodes.push(await openStorage(url));
  account = await newAccount(nodes[0] as Storage);
}, 120_000);
afterAll(async () => {
  for (const { store } of nodes) await store.close();
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
    const { events } = (nodes[0] as Storage).store;
    for (let after = 0n; ; ) {
      const stopped = !creating;
      const page = await events.read(account, { after, limit: 500, types: undefined });
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
  const fast = nodes.map(async ({ store }, at) => {
    for (let round = 0; round < 150; round++) {
      const batch = Array.from({ length: 10 }, (_, i) => ({
        id: BigInt(at * 100_000 + round * 10 + i),
        name: "x",
        tag: undefined,
      }));
      await Promise.all(batch.map((plant) => store.plants.create(account, plant)));
    }
  });
  await Promise.all([...slow, ...fast]);
  creating = false;
  await tail;
  const { rows } = await query<{ id: string }>("SELECT id::text FROM plants WHERE account = $1", [account]);
  expect(seen.length).toBe(new Set(seen).size);
  expect(new Set(seen)).toEqual(new Set(rows.map(({ id }) => BigInt(id))));
  expect(rows.length).toBeGreaterThan(4500);
}, 60_000);

test("of three nodes one dies: every event of every endpoint arrives, delivered by those that are left", async () => {
  const receiver = new WebhookReceiver();
  const sealer = Promise.resolve(new SecretSealer("a secret of at least thirty-two characters"));
  const worker = { databaseUrl: url, networks: ["127.0.0.0/8"], proxy: undefined, traceRatio: undefined };
  const running = nodes.map((storage) => {
    const { events } = storage.store;
    const work = new WebhookWork(storage);
    const leases = { leaseMs: 1500, renewEveryMs: 300 };
    const delivery = new DeliveryService({
      work,
      events,
      sealer,
      observer: NO_OBSERVER,
      worker,
      isAlone: false,
      ...leases,
    });
    const jobs = new JobRunner({ leases: new MemoryLeases(), observer: NO_OBSERVER });
    jobs.start(delivery.job);
    const endpoints = new WebhookEndpoints(storage);
    const networks = new AllowedNetworks(worker.networks);
    return {
      jobs,
      delivery,
      api: new Webhooks({ endpoints, events, sealer, delivery, networks, lookup: systemLookup }),
    };
  });
  const by = { actor: { kind: "system", id: "", name: "test" } } as const;
  const [first] = running as [(typeof running)[number]];
  const endpoint = { types: undefined, description: "", delivery: "each", from: undefined } as const;
  for (let at = 0; at < 9; at++) await first.api.create(account, { ...endpoint, url: receiver.url }, by);
  await until(async () => {
    const { rows } = await query<{ holders: number }>(
      "SELECT count(DISTINCT holder)::int AS holders FROM webhook_endpoints WHERE holder IS NOT NULL",
    );
    return rows[0]?.holders === NODES;
  });
  const { plants } = (nodes[0] as Storage).store;
  for (let id = 0; id < 300; id++) {
    await plants.create(account, { id: BigInt(5_000_000 + id), name: "x", tag: undefined });
    if (id === 150) running[1]?.delivery.abandon();
    if (id === 150) void running[1]?.jobs.close();
  }
  const counts = () => {
    const byEvent = new Map<string, number>();
    for (const { id } of receiver.received) byEvent.set(id, (byEvent.get(id) ?? 0) + 1);
    return byEvent;
  };
  await until(async () => counts().size === 300 && [...counts().values()].every((count) => count >= 9));
  for (const { jobs } of running) await jobs.close();
  await receiver.stop();
}, 90_000);

async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await holds()); ) {
    if (Date.now() > deadline) throw new Error("it did not come true");
    await Bun.sleep(50);
  }
}
