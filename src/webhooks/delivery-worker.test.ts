import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import { heldEndpoint } from "#test/support/delivery-world.ts";
import { newMigratedDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/test-records.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";
import { Thread } from "#threads/thread.ts";
import type { DeliveryFunctions } from "./delivery-worker.ts";

let storage: Storage;
let account: number;
let receiver: WebhookReceiver;
let thread: Thread<DeliveryFunctions>;
let handedOver: (readonly EndpointProgress[])[];
let settle: (changed: readonly string[] | undefined) => void;
/** The test is the serving thread: it answers what the delivery thread hands over when it wants to. */
beforeEach(async () => {
  const databaseUrl = await newMigratedDatabase("sqlite", temporaryFolder());
  storage = await openStorage(databaseUrl);
  account = await newAccount(storage);
  receiver = new WebhookReceiver();
  handedOver = [];
  const workerData = { databaseUrl, networks: ["127.0.0.0/8"], proxy: undefined, traceRatio: undefined };
  thread = new Thread({
    start: () =>
      new Worker(new URL("./delivery-worker.ts", import.meta.url), { smol: true, workerData } as WorkerOptions),
    ours: {
      settle(progress: readonly EndpointProgress[]) {
        handedOver.push(progress);
        return new Promise((resolve) => {
          settle = resolve;
        });
      },
    },
    onFailed: () => {},
  });
});
afterEach(async () => {
  thread.close();
  await storage.records.close();
  await receiver.stop();
});

async function createPlant(id: number): Promise<void> {
  await storage.records.plants.create(account, { id: BigInt(id), name: "Fern", tag: undefined });
  await thread.call("wake", { until: await storage.records.events.latest(), causes: [] });
}

const holdEndpoint = () => thread.call("hold", [heldEndpoint({ account, url: receiver.url })]);
const sendAnother = () => thread.call("send", { url: receiver.url, body: "{}", headers: {} });
const attempts = () => handedOver.map((progress) => progress.flatMap(({ log }) => log.map(({ sequence }) => sequence)));

describe("the outcomes of deliveries", () => {
  beforeEach(async () => {
    await holdEndpoint();
    await createPlant(1);
    await eventually("the first is handed over", () => handedOver.length === 1);
    await createPlant(2);
    await eventually("the second arrived", () => receiver.received.length === 2);
  });

  test("are handed over once, and what comes meanwhile waits until they are on disk", async () => {
    await Bun.sleep(220);
    expect(attempts()).toEqual([[1]]);
    settle([]);
    await eventually("the second is handed over", () => handedOver.length === 2);
    expect(attempts()).toEqual([[1], [2]]);
  });

  test("that came while others were written are handed over before the thread ends", async () => {
    // The answer to the second has reached the thread before the answer to a request that is sent later.
    await sendAnother();
    let isClosed = false;
    const closing = thread.call("close", undefined).then(() => {
      isClosed = true;
    });
    await sendAnother();
    expect(isClosed).toBe(false);
    settle([]);
    await eventually("the second is handed over", () => handedOver.length === 2);
    settle([]);
    await closing;
    expect(attempts()).toEqual([[1], [2]]);
  });
});

test("a thread that has nothing to hand over ends its work at once, and sends nothing more", async () => {
  await holdEndpoint();
  await thread.call("close", undefined);
  await createPlant(1);
  for (let sent = 0; sent < 20; sent++) await sendAnother();
  expect(receiver.received).toHaveLength(20);
});
