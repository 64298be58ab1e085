import { expect, test } from "bun:test";
import { join } from "node:path";
import { move } from "#storage/move/move.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually, eventuallyPasses } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { addHistories, DOERS, historiesOf } from "#test/support/plant-histories.ts";
import { always, newPlant } from "#test/support/plant-lists.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";

async function feedOf(storage: Storage, account: number) {
  return (await readFeed(storage, account)).events;
}

test("a move carries the feed with who did what, webhook endpoints, their positions and secrets, and goes on with new numbers", async () => {
  const from = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
  const source = await openStorage(from);
  const account = await newAccount(source);
  await addHistories(source, account);
  const endpoint = { id: "we_1", account, url: "https://shop.example.com/", types: undefined, description: "the shop" };
  const more = { delivery: "each", version: "1.0.0", position: 4n, createdAt: 1 } as const;
  const sealed = { hint: "whsec_a…b", sealed: "sealed", created_at: 1, expires_at: null };
  await new WebhookEndpoints(source).add({ ...endpoint, ...more }, sealed, TEST_SOURCE);
  await new WebhookEndpoints(source).replayEvents("we_1", [1n], 5);
  const [feed, endpoints] = [await feedOf(source, account), await new WebhookEndpoints(source).list(account)];
  const histories = await historiesOf(source, account);
  expect(histories).toMatchObject({ doers: DOERS, removed: [3n] });
  await source.records.close();

  const to = await newPostgresDatabase();
  await move({ from, to, replace: false, onProgress: always });
  const target = await openStorage(to);
  expect(feed.length).toBe(5);
  await eventuallyPasses(async () => expect(await feedOf(target, account)).toEqual(feed));
  expect(await historiesOf(target, account)).toEqual(histories);
  expect(await new WebhookEndpoints(target).list(account)).toEqual(endpoints);
  expect(await new WebhookEndpoints(target).secrets("we_1")).toEqual([sealed]);
  await target.records.plants.create(account, newPlant(4, "after the move"));
  await eventually("the feed has it", async () => (await feedOf(target, account)).length === 6);
  const last = (await feedOf(target, account)).at(-1);
  expect(last?.plant.id).toBe(4n);
  expect(last?.number).toBeGreaterThan(feed.at(-1)?.number ?? 0n);
  await target.records.close();
});
