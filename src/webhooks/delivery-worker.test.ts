import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { heldEndpoint } from "#test/support/delivery-world.ts";
import { newMigratedDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { newAccount } from "#test/support/stores.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";
import type { FromWorker, ToWorker } from "./delivery-thread.ts";

let storage: Storage;
let account: number;
let receiver: WebhookReceiver;
let worker: Worker;
let told: FromWorker[];
/** The test is the serving thread: it answers what the delivery thread hands over when it wants to. */
beforeEach(async () => {
  const databaseUrl = await newMigratedDatabase("sqlite", temporaryFolder());
  storage = await openStorage(databaseUrl);
  account = await newAccount(storage);
  receiver = new WebhookReceiver();
  told = [];
  worker = new Worker(new URL("./delivery-worker.ts", import.meta.url), { smol: true });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => void told.push(data);
  post({ kind: "start", databaseUrl, networks: ["127.0.0.0/8"], proxy: undefined, traceRatio: undefined });
});
afterEach(async () => {
  worker.terminate();
  await storage.store.close();
  await receiver.stop();
});

function post(message: ToWorker): void {
  worker.postMessage(message);
}

async function createPlant(id: number): Promise<void> {
  await storage.store.plants.create(account, { id: BigInt(id), name: "Fern", tag: undefined });
  post({ kind: "wake", until: await storage.store.events.latest(), causes: [] });
}

const holdEndpoint = () => post({ kind: "hold", endpoints: [heldEndpoint({ account, url: receiver.url })] });
const handedOver = () => told.filter((message) => message.kind === "progress");
const attempts = () =>
  handedOver().map(({ progress }) => progress.flatMap(({ log }) => log.map(({ sequence }) => sequence)));
const isClosed = () => told.some(({ kind }) => kind === "closed");

describe("the outcomes of deliveries", () => {
  test("are handed over once, and what comes meanwhile waits until they are on disk", async () => {
    holdEndpoint();
    await createPlant(1);
    await eventually("the first is handed over", () => handedOver().length === 1);
    await createPlant(2);
    await eventually("the second arrived", () => receiver.received.length === 2);
    await Bun.sleep(220);
    expect(attempts()).toEqual([[1]]);
    post({ kind: "settled", changed: [] });
    await eventually("the second is handed over", () => handedOver().length === 2);
    expect(attempts()).toEqual([[1], [2]]);
  });

  test("that could not be written are handed over again, the same", async () => {
    holdEndpoint();
    await createPlant(1);
    await eventually("they are handed over", () => handedOver().length === 1);
    post({ kind: "unsettled" });
    await eventually("they are handed over again", () => handedOver().length === 2);
    expect(told[1]).toEqual(told[0] as FromWorker);
  });

  test("that came while others were written are handed over before the thread ends", async () => {
    holdEndpoint();
    await createPlant(1);
    await eventually("the first is handed over", () => handedOver().length === 1);
    await createPlant(2);
    await eventually("the second arrived", () => receiver.received.length === 2);
    // Its answer has reached the thread before the answer to a request that is sent later.
    post({ kind: "send", number: 1, outgoing: { url: receiver.url, body: "{}", headers: {} } });
    await eventually("the thread has the answers", () => told.some(({ kind }) => kind === "sent"));
    post({ kind: "close" });
    await Bun.sleep(50);
    expect(isClosed()).toBe(false);
    post({ kind: "settled", changed: [] });
    await eventually("the thread has ended its work", isClosed);
    expect(attempts()).toEqual([[1], [2]]);
  });
});

test("a thread that has nothing to hand over ends its work at once, and sends nothing more", async () => {
  holdEndpoint();
  await eventually("it has begun", async () => {
    post({ kind: "close" });
    return isClosed();
  });
  await createPlant(1);
  await Bun.sleep(100);
  expect(receiver.received).toEqual([]);
});
