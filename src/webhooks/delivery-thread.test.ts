import { expect, test } from "bun:test";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { openStorage } from "#storage/open.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { endThreadAfter } from "#test/support/end-thread.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/stores.ts";
import { openWebhookNode } from "#test/support/webhook-node.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

test("a thread that ends without an error is reported and replaced: every event arrives, and no caller waits for it", async () => {
  const url = `sqlite:${join(temporaryFolder(), "plantstore.db")}`;
  const failures: string[] = [];
  const observer = {
    ...NO_OBSERVER,
    failed: (part: string, error: unknown) => void failures.push(`${part}: ${error}`),
  };
  const storage = await openStorage(url);
  const { plants } = storage.store;
  const account = await newAccount(storage);
  const receiver = new WebhookReceiver();
  const { api, jobs, delivery } = openWebhookNode(storage, url, observer);
  const create = (id: number) => plants.create(account, { id: BigInt(id), name: "Fern", tag: undefined });
  const webhook = {
    url: receiver.url,
    types: undefined,
    version: "1.0.0",
    description: "",
    delivery: "each",
    from: undefined,
  } as const;
  const { endpoint } = await api.create(account, webhook, TEST_SOURCE);
  jobs.start(delivery.job);
  await create(0);
  await eventually("the first event arrived", () => receiver.plants.length === 1);

  const held = Promise.withResolvers<void>();
  receiver.beforeAnswer = () => held.promise;
  const { asked } = await endThreadAfter(async () => {
    const asked = api.test(account, endpoint.id, "plant.created", undefined).catch((error) => error);
    await eventually("the test is under way", () => receiver.received.length === 2);
    return { asked };
  });
  expect(await asked).toMatchObject({ code: "unavailable" });
  expect(failures).toEqual(["webhooks: Error: A thread of the service failed: it has ended"]);

  held.resolve();
  receiver.beforeAnswer = () => undefined;
  for (let id = 1; id <= 20; id++) await create(id);
  await eventually("every event arrived", () =>
    Array.from({ length: 21 }, (_, id) => String(id)).every((id) => receiver.plants.includes(id)),
  );
  await jobs.close();
  await storage.store.close();
  await receiver.stop();
}, 60_000);
