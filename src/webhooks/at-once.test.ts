import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from "bun:test";
import { eventId } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { WebhookLeases } from "#storage/webhook-leases.ts";
import { WebhookProgress } from "#storage/webhook-progress.ts";
import { testCaller } from "#test/support/audit.ts";
import { eventually } from "#test/support/eventually.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { openWebhookNode, type WebhookNode } from "#test/support/webhook-node.ts";
import { WebhookReceiver } from "#test/support/webhook-receiver.ts";

const NEW = { types: undefined, version: "1.0.0", description: "", delivery: "each", from: undefined } as const;
const ALL = { status: undefined, type: undefined, event: undefined, before: undefined, limit: 100 };

describeRecords("what happens to a webhook endpoint at the same time, on %s", (opened) => {
  let node: WebhookNode;
  let account: AccountNumber;
  const receivers: WebhookReceiver[] = [];
  beforeAll(() => {
    node = openWebhookNode(opened.storage, opened.url);
    node.delivery.onChange = () => node.jobs.wake(node.delivery.job.name);
    node.jobs.start(node.delivery.job);
  });
  beforeEach(async () => {
    account = await opened.account();
  });
  afterAll(async () => {
    await node.jobs.close();
    for (const receiver of receivers) await receiver.stop();
  });

  async function added() {
    const receiver = new WebhookReceiver();
    receivers.push(receiver);
    const { endpoint, secret } = await node.api.create(testCaller(account), { ...NEW, url: receiver.url });
    return { receiver, id: endpoint.id, secret };
  }
  const createPlant = (id: number) =>
    opened.records.plants.create(account, { id: BigInt(id), name: "Fern", tag: undefined });
  const log = async (id: string) => (await opened.storage.reads.webhooks.deliveries(id, ALL)).deliveries.toReversed();
  const arrives = async (receiver: WebhookReceiver, count: number) => {
    // The node may still be taking the endpoint over. After that, sooner than what failed is sent again by its schedule.
    await eventually(`request ${count} arrives`, () => receiver.received.length >= count, count === 1 ? 15_000 : 3000);
  };

  /** Holds back the answer to the next request. */
  function nextAnswer(receiver: WebhookReceiver) {
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.beforeAnswer = () => {
      receiver.beforeAnswer = () => undefined;
      return promise;
    };
    return resolve;
  }

  test.each([204, 500])(
    "an event that is replayed while a replay of it is under way is sent once more at once, though that one is answered %d",
    async (status) => {
      const { receiver, id } = await added();
      await createPlant(1);
      await arrives(receiver, 1);
      await eventually("the attempt is on disk", async () => (await log(id)).length === 1);
      const [number] = await eventNumbers();
      const answer = nextAnswer(receiver);
      await node.api.replay({ account }, id, { events: [number] });
      await arrives(receiver, 2);
      await node.api.replay({ account }, id, { events: [number] });
      receiver.status = status;
      answer();
      await eventually("its outcome is on disk", async () => (await log(id)).length >= 2);
      receiver.status = 204;
      await arrives(receiver, 3);
      expect(receiver.received.map((each) => each.id)).toEqual(Array(3).fill(eventId(number)));
    },
  );

  async function eventNumbers() {
    const events = await opened.reads.events.read(account, {
      after: 0n,
      until: 10n ** 12n,
      limit: 10,
      types: undefined,
    });
    return events.events.map((event) => event.number) as [bigint];
  }

  test("of two rolls of a secret that read the same one is refused: the new secret signs, and the one before until its end", async () => {
    const { receiver, id, secret } = await added();
    const { secrets } = WebhookEndpoints.prototype;
    const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>();
    let reads = 0;
    using slow = spyOn(WebhookEndpoints.prototype, "secrets").mockImplementation(async function (
      this: WebhookEndpoints,
      endpoint,
    ) {
      const read = await secrets.call(this, endpoint);
      if (++reads === 2) resolve();
      await bothHaveRead;
      return read;
    });
    const roll = () => node.api.roll(testCaller(account), id, 3_600_000);
    const ended = await Promise.allSettled([roll(), roll()]);
    slow.mockRestore();
    expect(ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))).toMatchObject([
      { code: "account-limit", message: expect.stringContaining("another roll at the same time") },
    ]);
    const [answered] = ended.flatMap((each) => (each.status === "fulfilled" ? [each.value.secret] : []));
    await node.api.test({ account }, id, "plant.created");
    for (const each of [secret, answered]) receiver.verify(each ?? "");
    expect((await roll()).endpoint.secrets).toHaveLength(2);
  });

  test("an endpoint that is removed while it is taken over is sent nothing", async () => {
    const [removed, other] = [await added(), await added()];
    const { promise: read, resolve: isRead } = Promise.withResolvers<void>();
    const { promise: isRemoved, resolve: goOn } = Promise.withResolvers<void>();
    const load = WebhookLeases.prototype.load;
    using _slow = spyOn(WebhookLeases.prototype, "load").mockImplementation(async function (this: WebhookLeases, ids) {
      const found = await load.call(this, ids);
      if (ids.includes(removed.id)) {
        isRead();
        await isRemoved;
      }
      return found;
    });
    await node.api.change(testCaller(account), removed.id, { description: "read again" });
    await read;
    await node.api.remove(testCaller(account), removed.id);
    await createPlant(1);
    goOn();
    await createPlant(2);
    await arrives(other.receiver, 2);
    expect(removed.receiver.received).toEqual([]);
  });

  test("of an endpoint whose address changes before its outcomes are on disk each attempt is in the log", async () => {
    const { receiver, id } = await added();
    const next = new WebhookReceiver();
    receivers.push(next);
    const { promise: isChanged, resolve: goOn } = Promise.withResolvers<void>();
    const settle = WebhookProgress.prototype.settle;
    const { promise: isHandedOver, resolve: handedOver } = Promise.withResolvers<void>();
    using _slow = spyOn(WebhookProgress.prototype, "settle").mockImplementation(async function (
      this: WebhookProgress,
      progress,
    ) {
      if (progress.some(({ endpoint, log }) => endpoint === id && log.length > 0)) {
        handedOver();
        await isChanged;
      }
      return settle.call(this, progress);
    });
    await createPlant(1);
    await isHandedOver;
    await node.api.change(testCaller(account), id, { url: next.url });
    await createPlant(2);
    // Long enough for a delivery that would not wait.
    await Promise.race([arrives(next, 1), Bun.sleep(500)]);
    goOn();
    await arrives(next, 1);
    const attempts = () => receiver.received.length + next.received.length;
    await eventually("both events arrived", () => attempts() >= 2);
    await eventually("each attempt is in the log", async () => (await log(id)).length === attempts(), 3000);
  });
});
