import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { NO_OBSERVER, type WebhookAttempt } from "#core/observer.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { testCaller } from "#test/support/audit.ts";
import { endThreadAfter } from "#test/support/end-thread.ts";
import { newMigratedDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { openWebhookNode, type WebhookNode } from "#test/support/webhook-node.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

const webhook = {
  types: undefined,
  version: "1.0.0",
  description: "",
  delivery: "each",
  from: undefined,
} as const;

let folder: string;
let url: string;
let storage: Storage;
let account: number;
let receiver: WebhookReceiver;
let node: WebhookNode;
let attempts: WebhookAttempt[];
let notices: string[];
let failures: string[];
let gauges: Map<string, () => number>;
beforeEach(async () => {
  folder = temporaryFolder();
  url = await newMigratedDatabase("sqlite", folder);
  storage = await openStorage(url);
  account = await newAccount(storage);
  receiver = new WebhookReceiver();
  attempts = [];
  notices = [];
  failures = [];
  gauges = new Map();
  node = openWebhookNode(storage, url, {
    ...NO_OBSERVER,
    webhookAttempted: (attempt) => void attempts.push(attempt),
    notice: (message) => void notices.push(message),
    failed: (part, error) => void failures.push(`${part}: ${error}`),
    gauge: (name, read, labels) => void gauges.set(Object.values({ name, ...labels }).join(" "), read),
  });
});
afterEach(async () => {
  await node.jobs.close();
  // A test that ran the job itself has left its thread running.
  node.delivery.abandon();
  await storage.records.close();
  await receiver.stop();
});

const add = async (more: object = {}) =>
  (await node.api.create(testCaller(account), { ...webhook, url: receiver.url, ...more })).endpoint;
const createPlant = (id: number) =>
  storage.records.plants.create(account, { id: BigInt(id), name: "Fern", tag: undefined });
const look = () => node.delivery.job.run({ now: Date.now(), signal: new AbortController().signal });
const gauge = (key: string) => gauges.get(`plantstore_${key}`)?.();
const row = (id: string) =>
  storage.db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/** Changes the database as nothing in the service does. */
function alter(statement: string): void {
  const database = new Database(join(folder, "plantstore.db"));
  database.run("PRAGMA busy_timeout = 60000");
  database.run(statement);
  database.close();
}

describe("a node without endpoints", () => {
  test("looks for one every ten seconds alone, and starts no thread", async () => {
    expect(await look()).toBe(10_000);
    expect([gauge("webhook_endpoints enabled"), gauge("webhook_retries_waiting")]).toEqual([0, 0]);
  });

  test("says that no retry waits any more once the endpoint with retries was removed", async () => {
    const { id } = await add();
    alter(
      `INSERT INTO webhook_retries (endpoint, number, attempts, next_at) VALUES ('${id}', 1, 1, ${Date.now() + 1e6})`,
    );
    await look();
    expect(gauge("webhook_retries_waiting")).toBe(1);
    await node.api.remove(testCaller(account), id);
    node.delivery.stop(id);
    await look();
    expect([gauge("webhook_endpoints enabled"), gauge("webhook_retries_waiting")]).toEqual([0, 0]);
  });
});

describe("an endpoint that this node holds", () => {
  test("misses no event that comes while the last one is asked for, since the node listens by then", async () => {
    const { events } = storage.records;
    await add();
    const latest = events.latest.bind(events);
    let isListening = false;
    using listen = spyOn(events, "listen");
    using _asked = spyOn(events, "latest").mockImplementation(() => {
      isListening = listen.mock.calls.length > 0;
      return latest();
    });
    await look();
    expect(isListening).toBe(true);
  });

  test("is delivered to, its position is on disk, and its lease is released at the stop", async () => {
    const { id } = await add();
    node.jobs.start(node.delivery.job);
    await createPlant(1);
    await eventually("the event arrived", () => receiver.plants.includes("1"));
    await eventually("its position is on disk", async () => Number((await row(id)).position) > 0);
    await eventually("the attempt is counted", () => attempts.length > 0);
    expect(attempts).toMatchObject([{ endpoint: id, attempt: 1, succeeded: true, httpStatus: 204 }]);
    expect((await row(id)).holder).not.toBeNull();
    await node.jobs.close();
    expect((await row(id)).holder).toBeNull();
    expect(await storage.db.selectFrom("leases").select("name").where("name", "like", "webhooks-%").execute()).toEqual(
      [],
    );
  });

  test("has each attempt counted once, also if it could not be written at first, and every event arrives once", async () => {
    await add();
    alter("CREATE TRIGGER full BEFORE INSERT ON webhook_attempts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
    node.jobs.start(node.delivery.job);
    await createPlant(1);
    await eventually("the write failed", () => failures.length > 0);
    expect(failures[0]).toContain("webhooks: ");
    expect(attempts).toEqual([]);
    alter("DROP TRIGGER full");
    await eventually("it is written", async () => {
      return (await storage.db.selectFrom("webhook_attempts").selectAll().execute()).length === 1;
    });
    await eventually("the attempt is counted", () => attempts.length > 0);
    expect([attempts.length, receiver.received.length]).toEqual([1, 1]);
  });
});

describe("an account whose receiver never answers", () => {
  const slow = new WebhookReceiver();
  const { promise: never, resolve: letGo } = Promise.withResolvers<void>();
  slow.beforeAnswer = () => never;
  afterAll(async () => {
    letGo();
    await slow.stop();
  });

  test("has 30 deliveries under way, and delays nobody else's", async () => {
    const { plants } = storage.records;
    const accounts = Array.from({ length: 10 }, () => newAccount(storage));
    for (const slowAccount of await Promise.all(accounts)) {
      // Each endpoint alone has eight deliveries under way.
      for (let count = 0; count < 5; count++)
        await node.api.create(testCaller(slowAccount), { ...webhook, url: slow.url });
      const many = Array.from({ length: 20 }, (_, id) => ({ id: BigInt(id), name: "Fern", tag: undefined }));
      await plants.createMany(slowAccount, many);
    }
    await add();
    node.jobs.start(node.delivery.job);
    await eventually("all of them are under way", () => slow.received.length >= 300);
    await createPlant(1);
    await eventually("the event arrived", () => receiver.plants.includes("1"));
    // None of the others has been given up by then.
    expect(slow.received.length).toBe(300);
  });

  test("has 2 tests under way, a few waiting, and is refused more", async () => {
    const { id } = await add({ url: slow.url });
    slow.received.length = 0;
    const asked = Array.from({ length: 20 }, () =>
      node.api.test({ account }, id, "plant.created").catch(({ code }) => code),
    );
    expect(await Promise.all(asked.slice(6))).toEqual(Array(14).fill("rate-limited"));
    await eventually("two are under way", () => slow.received.length === 2);
    const other = await newAccount(storage);
    const theirs = await node.api.create(testCaller(other), { ...webhook, url: receiver.url });
    expect(await node.api.test({ account: other }, theirs.endpoint.id, "plant.created")).toMatchObject({
      status: "succeeded",
    });
    expect(slow.received.length).toBe(2);
  });
});

describe("an endpoint that cannot be delivered to", () => {
  const secretsOfAnother = (id: string) =>
    alter(`UPDATE webhook_secrets SET sealed = '${Buffer.alloc(60).toString("base64")}' WHERE endpoint = '${id}'`);

  test("because its secret was sealed with another SECRET is reported once, and not tested, until it is rolled", async () => {
    const { id } = await add();
    secretsOfAnother(id);
    for (let times = 0; times < 3; times++) await look();
    expect(notices).toEqual([expect.stringContaining(`${id} were sealed with another SECRET`)]);
    await expect(node.api.test({ account }, id, "plant.created")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/sealed with another SECRET.*roll the secret/),
    });
    await node.api.roll(testCaller(account), id, 3_600_000);
    expect(await node.api.test({ account }, id, "plant.created")).toMatchObject({ status: "succeeded" });
    await look();
    await createPlant(1);
    await eventually("the event arrived after the test", () => receiver.received.length === 2);
    expect(notices).toHaveLength(1);
  });

  test("because of its version is reported once, and the others are delivered to", async () => {
    const [{ id }] = [await add(), await add()];
    alter(`UPDATE webhook_endpoints SET version = '9.0.0' WHERE id = '${id}'`);
    for (let times = 0; times < 3; times++) await look();
    expect(notices).toEqual([expect.stringContaining(`${id} has version 9.0.0`)]);
    for (const plant of [1, 2]) await createPlant(plant);
    await eventually("both events arrived", () => receiver.plants.length === 2);
    expect(receiver.received).toHaveLength(2);
  });

  test("any more is not delivered to with what it was before", async () => {
    const [{ id }] = [await add(), await add()];
    await look();
    await createPlant(1);
    await eventually("the event arrived at both", () => receiver.received.length === 2);
    secretsOfAnother(id);
    alter(`UPDATE webhook_endpoints SET revision = revision + 1 WHERE id = '${id}'`);
    await look();
    for (const plant of [2, 3]) await createPlant(plant);
    await eventually("the other one is sent them", () => ["2", "3"].every((plant) => receiver.plants.includes(plant)));
    expect(receiver.received).toHaveLength(4);
    await eventually("it is reported", async () => {
      await look();
      return notices.length === 1;
    });
  });
});

test("a thread that ends without an error is reported and replaced: every event arrives, and no caller waits for it", async () => {
  const { id } = await add();
  node.jobs.start(node.delivery.job);
  await createPlant(0);
  await eventually("the first event arrived", () => receiver.plants.length === 1);
  const held = Promise.withResolvers<void>();
  receiver.beforeAnswer = () => held.promise;
  const { asked } = await endThreadAfter(async () => {
    const asked = node.api.test({ account }, id, "plant.created").catch((error) => error);
    await eventually("the test is under way", () => receiver.received.length === 2);
    return { asked };
  });
  expect(await asked).toMatchObject({ code: "unavailable" });
  expect(failures).toEqual(["webhooks: Error: A thread of the service failed: it has ended"]);
  held.resolve();
  receiver.beforeAnswer = () => undefined;
  for (let id = 1; id <= 20; id++) await createPlant(id);
  const all = Array.from({ length: 21 }, (_, id) => String(id));
  await eventually("every event arrived", () => all.every((id) => receiver.plants.includes(id)));
});
