import { expect, test } from "bun:test";
import { join } from "node:path";
import type { EventActor } from "#core/event-actor.ts";
import { INT64_MAX } from "#core/int64.ts";
import { move } from "#storage/move/move.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually, eventuallyPasses } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";

const always = () => undefined;
const ADA: EventActor = { kind: "person", id: "7Xb2", name: "Ada Lovelace" };
const SHOP: EventActor = { kind: "token", id: "tok_1", name: "Shop" };

async function feedOf(storage: Storage, account: number) {
  return (await readFeed(storage, account)).events;
}

/** What pages show of plants 2 and 3: their events with who did each, and which plants are removed. */
async function historyOf({ reads: { events } }: Storage, account: number) {
  const newest = { before: INT64_MAX, limit: 10 } as const;
  const ofPlants = await Promise.all(
    [2n, 3n].map((plant) => events.history(account, { ...newest, plant, types: undefined })),
  );
  const all = ofPlants.flatMap((page) => page.events);
  const removed = await events.removed(account, newest);
  return { all, doers: await events.doers(account, all), removed: removed.events.map(({ plant }) => plant.id) };
}

test("a move carries the feed with who did what, webhook endpoints, their positions and secrets, and goes on with new numbers", async () => {
  const from = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
  const source = await openStorage(from);
  const account = await newAccount(source);
  const { plants } = source.records;
  for (const id of [1n, 2n, 3n]) await plants.create(account, { id, name: `plant ${id}`, tag: undefined });
  await plants.change(account, 2n, { tag: "indoor" }, always, undefined, ADA);
  await plants.remove(account, 3n, always, undefined, SHOP);
  const endpoint = { id: "we_1", account, url: "https://shop.example.com/", types: undefined, description: "the shop" };
  const more = { delivery: "each", version: "1.0.0", position: 4n, createdAt: 1 } as const;
  const sealed = { hint: "whsec_a…b", sealed: "sealed", created_at: 1, expires_at: null };
  await new WebhookEndpoints(source).add({ ...endpoint, ...more }, sealed, TEST_SOURCE);
  await new WebhookEndpoints(source).replayEvents("we_1", [1n], 5);
  const [feed, endpoints] = [await feedOf(source, account), await new WebhookEndpoints(source).list(account)];
  const history = await historyOf(source, account);
  expect(history.doers).toEqual([ADA, "program", SHOP, "program"]);
  expect(history.removed).toEqual([3n]);
  await source.records.close();

  const to = await newPostgresDatabase();
  await move({ from, to, replace: false, onProgress: always });
  const target = await openStorage(to);
  expect(feed.length).toBe(5);
  await eventuallyPasses(async () => expect(await feedOf(target, account)).toEqual(feed));
  expect(await historyOf(target, account)).toEqual(history);
  expect(await new WebhookEndpoints(target).list(account)).toEqual(endpoints);
  expect(await new WebhookEndpoints(target).secrets("we_1")).toEqual([sealed]);
  await target.records.plants.create(account, { id: 4n, name: "after the move", tag: undefined });
  await eventually("the feed has it", async () => (await feedOf(target, account)).length === 6);
  const last = (await feedOf(target, account)).at(-1);
  expect(last?.plant.id).toBe(4n);
  expect(last?.number).toBeGreaterThan(feed.at(-1)?.number ?? 0n);
  await target.records.close();
});
