import { expect, test } from "bun:test";
import { INT64_MAX } from "#core/int64.ts";
import { WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { auditedActions, TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { endpointProgress, logEntry, newEndpoint, SEALED_SECRET } from "#test/support/webhook-progress.ts";
import { type NewEndpoint, WebhookEndpoints } from "./webhook-endpoints.ts";
import { WebhookLeases } from "./webhook-leases.ts";
import { type LogEntry, logStatements } from "./webhook-outcomes.ts";
import { WebhookProgress } from "./webhook-progress.ts";

/** Beyond what a double holds exactly. */
const FAR = 2n ** 53n + 1n;
const EVERY_DELIVERY = { status: undefined, type: undefined, event: undefined, before: undefined };

describeRecords("webhook endpoints, on %s", (testRecords) => {
  const endpoints = new WebhookEndpoints(testRecords.storage);

  async function added(account: number, more: Partial<NewEndpoint> = {}): Promise<string> {
    const endpoint = newEndpoint(account, { position: FAR, ...more });
    await endpoints.add(endpoint, SEALED_SECRET, TEST_SOURCE);
    return endpoint.id;
  }

  const actions = (account: number) => auditedActions(testRecords, account);
  const rowsOf = async (table: "webhook_secrets" | "webhook_retries" | "webhook_replays", id: string) =>
    (await testRecords.storage.db.selectFrom(table).select("endpoint").where("endpoint", "=", id).execute()).length;

  test("an account reaches its own endpoints alone: reading, changing, rolling and removing another's finds none", async () => {
    const [account, other] = [await testRecords.account(), await testRecords.account()];
    const id = await added(account);
    const before = await endpoints.find(account, id);
    expect(await endpoints.find(other, id)).toBeUndefined();
    expect(await endpoints.list(other)).toEqual([]);
    const unknown = { code: "not-found", message: `There is no webhook endpoint with the id ${id}` };
    const roll = { ...SEALED_SECRET, sealed: "stolen" };
    await expect(endpoints.change(testCaller(other), id, { url: "https://evil.example" })).rejects.toMatchObject(
      unknown,
    );
    await expect(
      endpoints.setSecrets(testCaller(other), id, { read: [SEALED_SECRET], next: [roll] }),
    ).rejects.toMatchObject(unknown);
    await expect(endpoints.remove(testCaller(other), id)).rejects.toMatchObject(unknown);
    expect(await endpoints.find(account, id)).toEqual(before);
    expect(await endpoints.secrets(id)).toEqual([SEALED_SECRET]);
    expect([await actions(account), await actions(other)]).toEqual([["webhook.created"], []]);
  });

  test("endpoints that two nodes add at once keep to the account's limit together", async () => {
    const account = await testRecords.account();
    const node = await testRecords.another();
    const both = [endpoints, new WebhookEndpoints(node)];
    const adding = Array.from({ length: WEBHOOKS_PER_ACCOUNT_MAX + 4 }, (_, at) =>
      both[at % 2]?.add(newEndpoint(account), SEALED_SECRET, TEST_SOURCE),
    );
    const refused = (await Promise.allSettled(adding)).filter((end) => end.status === "rejected");
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "account-limit" });
    const kept = await endpoints.list(account);
    expect(kept).toHaveLength(WEBHOOKS_PER_ACCOUNT_MAX);
    expect(kept.every(({ secrets }) => secrets.length === 1)).toBe(true);
    await endpoints.remove(testCaller(account), kept[0]?.id ?? "");
    await endpoints.add(newEndpoint(account), SEALED_SECRET, TEST_SOURCE);
    await node.records.close();
  });

  test("of an account that was removed no endpoint is added", async () => {
    const account = await testRecords.account();
    await testRecords.records.stores.remove(account, TEST_SOURCE);
    await expect(endpoints.add(newEndpoint(account), SEALED_SECRET, TEST_SOURCE)).rejects.toThrow();
    expect(await endpoints.list(account)).toEqual([]);
  });

  const storeLog = (id: string, log: readonly LogEntry[]) =>
    testRecords.storage.atomically(logStatements(testRecords.storage.db, endpointProgress(id, { log })));

  /** A failing endpoint, with an event that waits for another attempt at the time 9e12, the log of its attempt, and a replay. */
  async function waiting(id: string): Promise<void> {
    const { db } = testRecords.storage;
    await db.insertInto("webhook_retries").values({ endpoint: id, number: 7n, attempts: 3, next_at: 9e12 }).execute();
    await endpoints.replayRange({ id: `rpl_${id}`, endpoint: id, from: 1n, until: 5n, types: undefined, now: 0 });
    await storeLog(id, [logEntry(1, { status: "waiting", nextAt: 9e12 })]);
    const failed = {
      status: "disabled",
      reason: "failing",
      failing_since: 77,
      failures: 20,
      not_before: 9e12,
    } as const;
    await db.updateTable("webhook_endpoints").set(failed).where("id", "=", id).execute();
  }

  const held = async (id: string) => (await new WebhookLeases(testRecords.storage).load([id]))[0];
  const retriesOf = async (id: string) =>
    (await new WebhookProgress(testRecords.storage).waiting(id, 10, true)).retries;
  const delivery = async (id: string) =>
    (await testRecords.storage.reads.webhooks.deliveries(id, { ...EVERY_DELIVERY, limit: 1 })).deliveries.map(
      ({ status, nextAt }) => [status, nextAt],
    );

  test("an endpoint that is enabled begins without its failures, and what waited is due at once", async () => {
    const account = await testRecords.account();
    const [id, other] = [await added(account), await added(account)];
    await waiting(id);
    await waiting(other);
    const before = Date.now();
    await endpoints.change(testCaller(account), id, { status: "enabled" });
    const [retry] = await retriesOf(id);
    expect(retry).toMatchObject({ number: 7n, attempts: 3 });
    expect(retry?.nextAt).toBeWithin(before, Date.now() + 1);
    expect(await delivery(id)).toEqual([["waiting", retry?.nextAt]]);
    const enabled = { status: "enabled", reason: undefined, failingSince: undefined, failures: 0, notBefore: 0 };
    expect([await held(id), await rowsOf("webhook_replays", id)]).toMatchObject([enabled, 1]);
    const failing = { status: "disabled", reason: "failing", failingSince: 77, notBefore: 9e12 };
    expect([await held(other), (await retriesOf(other))[0]?.nextAt]).toMatchObject([failing, 9e12]);
  });

  test("an endpoint that goes on from now forgets what waited and what was being replayed, and no other does", async () => {
    const account = await testRecords.account();
    const [id, other] = [await added(account), await added(account)];
    await waiting(id);
    await waiting(other);
    await endpoints.change(testCaller(account), id, { status: "enabled", position: 2n ** 53n + 9n });
    expect([await rowsOf("webhook_retries", id), await rowsOf("webhook_replays", id)]).toEqual([0, 0]);
    expect(await delivery(id)).toEqual([["failed", undefined]]);
    expect([await rowsOf("webhook_retries", other), await rowsOf("webhook_replays", other)]).toEqual([1, 1]);
    await expect(endpoints.change(testCaller(await testRecords.account()), other, { position: 1n })).rejects.toThrow();
    expect(await rowsOf("webhook_retries", other)).toBe(1);
  });

  test("an endpoint that is sent notices from then on is told of what waited too, and another keeps its position", async () => {
    const account = await testRecords.account();
    const [id, other] = [await added(account), await added(account)];
    await waiting(id);
    await endpoints.change(testCaller(account), id, { delivery: "notice" });
    // The replay begins before the event that waits.
    expect(await endpoints.find(account, id)).toMatchObject({ delivery: "notice", position: 1n });
    expect([await rowsOf("webhook_retries", id), await rowsOf("webhook_replays", id)]).toEqual([0, 0]);
    await endpoints.change(testCaller(account), other, { delivery: "notice" });
    expect((await endpoints.find(account, other))?.position).toBe(FAR);
  });

  test("events to replay are due now, once each, up to the last number that there may be", async () => {
    const id = await added(await testRecords.account());
    await endpoints.replayEvents(id, [], 10);
    expect(await retriesOf(id)).toEqual([]);
    await endpoints.replayEvents(id, [INT64_MAX, 7n, INT64_MAX], 10);
    // It is no longer what it was, at whatever time it is replayed.
    await endpoints.replayEvents(id, [7n], 10);
    expect(await retriesOf(id)).toEqual([
      { number: 7n, attempts: 0, nextAt: 9 },
      { number: INT64_MAX, attempts: 0, nextAt: 10 },
    ]);
  });

  test("deliveries are listed newest first, page by page, each once, and by status, type and event", async () => {
    const account = await testRecords.account();
    const id = await added(account);
    const log = Array.from({ length: 25 }, (_, at) =>
      logEntry(at, {
        event: `evt_${at % 7}`,
        type: at % 2 ? "plant.created" : "plant.removed",
        ...(at % 5 ? {} : { status: "failed", httpStatus: undefined, error: "timeout" }),
        ms: at,
        at: 1000 + at,
      }),
    );
    await storeLog(id, log);
    const sequences: number[] = [];
    let before: number | undefined;
    do {
      const page = await testRecords.storage.reads.webhooks.deliveries(id, { ...EVERY_DELIVERY, limit: 10, before });
      sequences.push(...page.deliveries.map(({ ms }) => ms));
      before = page.next;
    } while (before !== undefined);
    expect(sequences).toEqual(Array.from({ length: 25 }, (_, at) => 24 - at));
    const count = async (query: Partial<Parameters<typeof testRecords.storage.reads.webhooks.deliveries>[1]>) =>
      (await testRecords.storage.reads.webhooks.deliveries(id, { ...EVERY_DELIVERY, limit: 100, ...query })).deliveries
        .length;
    expect(await count({ status: "failed" })).toBe(5);
    expect(await count({ type: "plant.created" })).toBe(12);
    expect(await count({ event: "evt_0", status: "failed" })).toBe(1);
    expect(await count({ event: "evt_none" })).toBe(0);
    const [newest] = (await testRecords.storage.reads.webhooks.deliveries(id, { ...EVERY_DELIVERY, limit: 1 }))
      .deliveries;
    expect(newest).toMatchObject({ id: `dlv_${id.slice(3)}_24`, httpStatus: 200, error: undefined, at: 1024 });
    expect(
      (await testRecords.storage.reads.webhooks.deliveries(id, { ...EVERY_DELIVERY, limit: 25 })).next,
    ).toBeUndefined();
  });
});
