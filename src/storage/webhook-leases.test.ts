import { beforeEach, expect, test } from "bun:test";
import { DELIVERIES_KEPT_MAX, DELIVERIES_KEPT_MS } from "#core/webhook.ts";
import { TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { endedProcess } from "#test/support/ended-process.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { endpointProgress, logEntry, newEndpoint, SEALED_SECRET } from "#test/support/webhook-progress.ts";
import { newMark } from "#threads/process-mark.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";
import { WebhookLeases } from "./webhook-leases.ts";
import { WebhookProgress } from "./webhook-progress.ts";

const LEASE_MS = 60_000;
const EVERY_DELIVERY = { status: undefined, type: undefined, event: undefined, before: undefined };
const NOW = Date.parse("2026-03-10T12:00:00.000Z");

describeRecords("the delivery of webhooks, on %s", (testRecords) => {
  let account: number;
  const endpoints = new WebhookEndpoints(testRecords.storage);
  const leases = new WebhookLeases(testRecords.storage);
  const progress = new WebhookProgress(testRecords.storage);
  beforeEach(async () => {
    const { db } = testRecords.storage;
    await db.deleteFrom("webhook_endpoints").execute();
    await db.deleteFrom("webhook_retries").execute();
    await db.deleteFrom("leases").where("name", "like", "webhooks-%").execute();
    account = await testRecords.account();
  });

  async function added(): Promise<string> {
    const endpoint = newEndpoint(account);
    await endpoints.add(endpoint, SEALED_SECRET, TEST_SOURCE);
    return endpoint.id;
  }

  const renew = (node: string, durationMs = LEASE_MS) => leases.renew({ node, durationMs });
  const heldBy = async (node: string) => [...(await leases.revisions(node)).keys()].sort();

  async function held(node: string): Promise<string> {
    const id = await added();
    await renew(node);
    return id;
  }

  const logOf = async (endpoint: string) =>
    (await testRecords.storage.reads.webhooks.deliveries(endpoint, { ...EVERY_DELIVERY, limit: 2000 })).deliveries;

  test("every endpoint is held by one node, and each node has its share", async () => {
    for (let count = 0; count < 7; count++) await added();
    await renew("a");
    expect(await heldBy("a")).toHaveLength(7);
    await renew("b");
    await renew("a");
    await renew("b");
    const [a, b] = [await heldBy("a"), await heldBy("b")];
    expect([a.length, b.length]).toEqual([4, 3]);
    expect(new Set([...a, ...b]).size).toBe(7);
  });

  test("nodes that renew at the same moment never hold the same endpoint", async () => {
    for (let count = 0; count < 12; count++) await added();
    const other = await testRecords.another();
    const nodes = [leases, new WebhookLeases(other)];
    for (let round = 0; round < 3; round++) {
      await Promise.all(nodes.map((each, at) => each.renew({ node: `node ${at}`, durationMs: LEASE_MS })));
    }
    const [first, second] = [await heldBy("node 0"), await heldBy("node 1")];
    expect([first.length, second.length]).toEqual([6, 6]);
    expect(new Set([...first, ...second]).size).toBe(12);
    await other.records.close();
  });

  test("a node that holds until further ahead than it can have been set holds nothing, and has no share", async () => {
    const { db } = testRecords.storage;
    for (let count = 0; count < 4; count++) await added();
    await renew("a");
    const hourAhead = Date.now() + 3_600_000;
    await db.updateTable("webhook_endpoints").set({ held_until: hourAhead }).execute();
    await db.updateTable("leases").set({ expires_at: hourAhead }).where("name", "=", "webhooks-a").execute();
    await renew("b");
    expect([await heldBy("a"), (await heldBy("b")).length]).toEqual([[], 4]);
  });

  test("what a node held is taken by another when its lease has run out or was given up", async () => {
    await added();
    await renew("crashed", 0);
    await renew("next");
    expect(await heldBy("next")).toHaveLength(1);
    await leases.release("next");
    await renew("third");
    expect([await heldBy("next"), (await heldBy("third")).length]).toEqual([[], 1]);
    await renew("fourth");
    expect(await heldBy("fourth")).toEqual([]);
    expect(await heldBy("third")).toHaveLength(1);
  });

  test("what a process of this machine held is taken at once when it has ended, and not while it runs or cannot be seen", async () => {
    await added();
    const mark = newMark();
    const ended = mark.replace(`-${process.pid}-`, `-${await endedProcess()}-`);
    await renew(ended);
    await renew(mark);
    expect([await heldBy(ended), (await heldBy(mark)).length]).toEqual([[], 1]);
    const other = newMark();
    await renew(other);
    expect(await heldBy(other)).toEqual([]);
    await leases.release(mark);
    const elsewhere = ended.replace(/-n\d+-/, "-n1-");
    await renew(elsewhere);
    expect(await heldBy(elsewhere)).toHaveLength(1);
    await renew(other);
    // Only SQLite's processes share a file, and so a machine.
    expect(await heldBy(other)).toHaveLength(testRecords.storage.engine === "sqlite" ? 1 : 0);
  });

  test("a disabled endpoint is held by nobody, and a paused one is", async () => {
    const [disabled, paused] = [await added(), await added()];
    await endpoints.change(testCaller(account), disabled, { status: "disabled" });
    await endpoints.change(testCaller(account), paused, { status: "paused" });
    await renew("a");
    expect(await heldBy("a")).toEqual([paused]);
    expect(await leases.countByStatus()).toEqual({ enabled: 0, paused: 1, disabled: 1 });
  });

  test("a holder loads its endpoints with their sealed secrets, the newest first", async () => {
    const [id, other] = [await held("a"), await held("a")];
    const older = { hint: "", sealed: "older", created_at: 1, expires_at: 900 };
    const newer = { hint: "", sealed: "newer", created_at: 2, expires_at: null };
    await endpoints.setSecrets(testCaller(account), id, { read: [SEALED_SECRET], next: [older, newer] });
    const [loaded] = await leases.load([id]);
    expect(loaded).toMatchObject({ id, account, position: 10n, revision: 3, failures: 0 });
    expect(loaded?.sealedSecrets).toEqual([
      { sealed: "newer", expiresAt: undefined },
      { sealed: "older", expiresAt: 900 },
    ]);
    expect((await leases.load([id, other, "we_unknown"])).map((each) => each.id).sort()).toEqual([id, other].sort());
    expect(await leases.load([])).toEqual([]);
  });

  test("a settled position moves on and never back", async () => {
    const id = await held("a");
    const position = async () => (await endpoints.find(account, id))?.position;
    expect(await progress.settle([endpointProgress(id, { position: 2n ** 60n + 1n })])).toEqual([]);
    expect(await position()).toBe(2n ** 60n + 1n);
    await progress.settle([endpointProgress(id, { position: 11n })]);
    expect([await position(), (await leases.load([id]))[0]?.position]).toEqual([2n ** 60n + 1n, 2n ** 60n + 1n]);
  });

  test("a node that lost its endpoint, or does not know its change, is told so and leaves its state as it was", async () => {
    const [lost, changed, kept] = [await held("a"), await held("a"), await held("a")];
    await leases.release("a", [lost]);
    await renew("b");
    await endpoints.change(testCaller(account), changed, { url: "https://new.example/" });
    const state = { status: "paused", reason: "failing", failures: 20, failingSince: 5, position: 99n } as const;
    const told = await progress.settle([lost, changed, kept].map((id) => endpointProgress(id, state)));
    expect(told.toSorted()).toEqual([lost, changed].toSorted());
    for (const id of [lost, changed]) expect((await endpoints.find(account, id))?.status).toBe("enabled");
    expect(await endpoints.find(account, lost)).toMatchObject({ position: 10n });
    expect(await endpoints.find(account, kept)).toMatchObject({ status: "paused", failingSince: 5, position: 99n });
  });

  test("outcomes from before a restart bring nothing back: their attempts are logged, and wait for no other", async () => {
    const [restarted, kept] = [await held("a"), await held("a")];
    const retries = [{ number: 5n, attempts: 1, nextAt: NOW }];
    const log = [logEntry(1, { status: "waiting", nextAt: NOW + 5000 })];
    await endpoints.change(testCaller(account), restarted, { status: "enabled", position: 20n });
    const stale = [restarted, kept].map((id) => endpointProgress(id, { position: 12n, retries, log }));
    expect(await progress.settle(stale)).toEqual([restarted]);
    expect([(await progress.waiting(restarted, 1)).count, (await progress.waiting(kept, 1)).count]).toEqual([0, 1]);
    expect(await endpoints.find(account, restarted)).toMatchObject({ position: 20n });
    expect(await logOf(restarted)).toMatchObject([{ status: "failed", nextAt: undefined }]);
    expect(await logOf(kept)).toMatchObject([{ status: "waiting", nextAt: NOW + 5000 }]);
  });

  test("a replay's position is kept, and the replay goes when it has come to its end", async () => {
    const id = await held("a");
    const replay = {
      id: `rep_${id}`,
      endpoint: id,
      from: 1n,
      until: 5n,
      types: new Set(["plant.created"] as const),
      now: 0,
    };
    await endpoints.replayRange(replay);
    const { from: position, until, types } = replay;
    expect((await progress.waiting(id, 1)).replays).toEqual([{ id: replay.id, position, until, types }]);
    await progress.settle([endpointProgress(id, { replays: [{ id: replay.id, position: 3n, until }] })]);
    expect((await progress.waiting(id, 1)).replays[0]?.position).toBe(3n);
    await progress.settle([endpointProgress(id, { replays: [{ id: replay.id, position: 5n, until }] })]);
    expect((await progress.waiting(id, 1)).replays).toEqual([]);
  });

  test("the log holds the newest thousand deliveries of an endpoint, and goes on from the last number", async () => {
    const id = await held("a");
    expect(await progress.lastSequence(id)).toBe(0);
    const log = Array.from({ length: 1300 }, (_, at) => logEntry(at + 1));
    await progress.settle([endpointProgress(id, { log: log.slice(0, 900) })]);
    await progress.settle([endpointProgress(id, { log: log.slice(900) })]);
    const kept = await logOf(id);
    expect(kept).toHaveLength(DELIVERIES_KEPT_MAX);
    expect([kept[0]?.event, kept.at(-1)?.event]).toEqual(["evt_1300", "evt_301"]);
    expect(await progress.lastSequence(id)).toBe(1300);
    await progress.settle([
      endpointProgress(id, { log: Array.from({ length: 2500 }, (_, at) => logEntry(at + 1301)) }),
    ]);
    expect((await logOf(id)).map(({ event }) => event)).toEqual(
      Array.from({ length: DELIVERIES_KEPT_MAX }, (_, at) => `evt_${3800 - at}`),
    );
  });

  test("one that was changed meanwhile is not disabled, and neither the audit log nor its holder is told so", async () => {
    const [id, other] = [await held("a"), await held("a")];
    const disabled = { account, url: "https://shop.example/" };
    const failing = { status: "disabled", reason: "failing", disabled } as const;
    const entries = (await testRecords.reads.audit.list(account, { action: "webhook.disabled", limit: 100 })).found;
    const stale = endpointProgress(id, { ...failing, revision: 99, log: [logEntry(1)] });
    expect(await progress.settle([stale, endpointProgress(other, failing)])).toEqual([id]);
    expect(await endpoints.find(account, id)).toMatchObject({ status: "enabled" });
    expect(await endpoints.find(account, other)).toMatchObject({ status: "disabled", reason: "failing" });
    expect(await logOf(id)).toHaveLength(1);
    const now = (await testRecords.reads.audit.list(account, { action: "webhook.disabled", limit: 100 })).found;
    expect(now.slice(0, now.length - entries.length).map(({ target }) => target)).toEqual([other]);
  });

  test("tidying removes old log entries, ended secrets and what no endpoint owns any more, and nothing else", async () => {
    const id = await held("a");
    const log = [logEntry(1, { at: NOW - DELIVERIES_KEPT_MS - 1 }), logEntry(2)];
    await progress.settle([endpointProgress(id, { log, retries: [{ number: 1n, attempts: 1, nextAt: 0 }] })]);
    const secret = { hint: "", created_at: 1 };
    const secrets = [
      { ...secret, sealed: "ended", expires_at: NOW - 1 },
      { ...secret, sealed: "good", expires_at: NOW + 1 },
    ];
    await endpoints.setSecrets(testCaller(account), id, { read: [SEALED_SECRET], next: secrets });
    await progress.settle([
      endpointProgress("we_gone", { log: [logEntry(1)], retries: [{ number: 1n, attempts: 1, nextAt: 0 }] }),
    ]);
    await progress.tidy(NOW);
    expect((await logOf(id)).map(({ event }) => event)).toEqual(["evt_2"]);
    expect((await endpoints.secrets(id)).map(({ sealed }) => sealed)).toEqual(["good"]);
    expect([
      await logOf("we_gone"),
      (await progress.waiting("we_gone", 1)).count,
      (await progress.waiting(id, 1)).count,
    ]).toEqual([[], 0, 1]);
  });
});
