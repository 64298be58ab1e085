import { beforeAll, expect, test } from "bun:test";
import { eventId } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { WebhookReplay } from "#core/webhook.ts";
import { WebhookLeases } from "#storage/webhook-leases.ts";
import type { EndpointProgress, LogEntry } from "#storage/webhook-outcomes.ts";
import { WebhookProgress } from "#storage/webhook-progress.ts";
import { testCaller } from "#test/support/audit.ts";
import { readFeed } from "#test/support/feed.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { openWebhookNode, type WebhookNode } from "#test/support/webhook-node.ts";
import { endpointProgress, logEntry } from "#test/support/webhook-progress.ts";

const NODE = "a node of the test";
/** No event has so high a number. */
const NEVER = 10n ** 12n;
const ENDPOINT = {
  url: "https://127.0.0.1/",
  types: undefined,
  version: "1.0.0",
  description: "",
  delivery: "each",
  from: 0n,
} as const;

describeRecords("a replay, on %s", (opened) => {
  let node: WebhookNode;
  let progress: WebhookProgress;
  let leases: WebhookLeases;
  let account: AccountNumber;
  let endpoint: string;
  /** Of the three plants that were created, then of the first one's change. */
  let numbers: bigint[];

  beforeAll(async () => {
    node = openWebhookNode(opened.storage, "");
    progress = new WebhookProgress(opened.storage);
    leases = new WebhookLeases(opened.storage);
    account = await opened.account();
    const { plants } = opened.records;
    await plants.createMany(
      account,
      [1n, 2n, 3n].map((id) => ({ id, name: "Fern", tag: undefined })),
    );
    await plants.change(account, 1n, { name: "Farn" }, () => undefined);
    const page = await readFeed(opened, account);
    numbers = page.events.map(({ number }) => number);
    endpoint = (await node.api.create(testCaller(account), { ...ENDPOINT, from: page.next })).endpoint.id;
    await leases.renew({ node: NODE, durationMs: 60_000 });
  });

  /** The last attempt at an event, which failed. */
  const entry = (sequence: number, number = 0n, more: Partial<LogEntry> = {}): LogEntry =>
    logEntry(sequence, { event: eventId(number), status: "failed", at: Date.now(), ...more });

  /** Replays, and returns the events that wait to be delivered then. They no longer wait afterwards. */
  async function waitingAfter(replay: WebhookReplay): Promise<bigint[]> {
    await node.api.replay({ account }, endpoint, replay);
    const waiting = (await progress.waiting(endpoint, 100, true)).retries;
    await settle({ attempted: waiting });
    return waiting.map(({ number }) => number);
  }

  async function settle(more: Partial<EndpointProgress>): Promise<void> {
    const [held] = await leases.load([endpoint]);
    await progress.settle([endpointProgress(endpoint, { revision: held?.revision ?? 0, ...more })]);
  }

  test("of what failed has the events that failed for good, not those that came or are attempted again", async () => {
    const [first, second, third, change] = numbers;
    await settle({
      log: [
        entry(1, first),
        entry(2, second),
        entry(3, second, { status: "succeeded" }),
        entry(4, third, { status: "waiting", nextAt: Date.now() + 5000 }),
        entry(5, change, { type: "plant.changed" }),
      ],
    });
    const failed = { from: 0n, to: undefined, types: undefined, only: "failed" } as const;
    expect(await waitingAfter(failed)).toEqual([first, change] as bigint[]);
    expect(await waitingAfter({ ...failed, types: new Set(["plant.changed"]) })).toEqual([change] as bigint[]);
    expect(await waitingAfter({ ...failed, from: first as bigint })).toEqual([change] as bigint[]);
    expect(await waitingAfter({ ...failed, to: first })).toEqual([first] as bigint[]);
  });

  test("of single events has each of them, and none if one is unknown or another account's", async () => {
    const [first, second] = numbers as [bigint, bigint];
    expect(await waitingAfter({ events: [first, second] })).toEqual([first, second]);
    const other = await opened.account();
    await opened.records.plants.create(other, { id: 1n, name: "Fern", tag: undefined });
    const { events } = await readFeed(opened, other, { limit: 1 });
    for (const unknown of [NEVER, events[0]?.number ?? 0n]) {
      await expect(waitingAfter({ events: [first, unknown] })).rejects.toMatchObject({ code: "not-found" });
    }
    expect((await progress.waiting(endpoint, 1)).count).toBe(0);
  });

  test("is refused where notices are sent", async () => {
    const noticed = await node.api.create(testCaller(account), { ...ENDPOINT, delivery: "notice" });
    await expect(node.api.replay({ account }, noticed.endpoint.id, { events: numbers })).rejects.toMatchObject({
      code: "member-invalid",
    });
  });

  test("of an endpoint for some types has these unless it names others", async () => {
    const types = new Set(["plant.removed"] as const);
    const { id } = (await node.api.create(testCaller(account), { ...ENDPOINT, types })).endpoint;
    const all = { from: 0n, to: undefined, types: undefined, only: "all" } as const;
    await node.api.replay({ account }, id, all);
    await node.api.replay({ account }, id, { ...all, types: new Set(["plant.created"]) });
    expect((await progress.waiting(id, 1)).replays.map((replay) => replay.types)).toEqual([
      types,
      new Set(["plant.created"]),
    ]);
  });

  test("of everything keeps where it begins and ends, up to now at most, and refuses a cursor that is too old", async () => {
    const [first, second] = numbers as [bigint, bigint];
    const all = { from: first, to: second, types: undefined, only: "all" } as const;
    await node.api.replay({ account }, endpoint, all);
    const latest = await opened.records.events.latest();
    await node.api.replay({ account }, endpoint, { ...all, to: NEVER, types: new Set(["plant.changed"]) });
    await node.api.replay({ account }, endpoint, { ...all, from: latest, to: undefined });
    expect(
      (await progress.waiting(endpoint, 1)).replays.map(({ position, until, types }) => [position, until, types]),
    ).toEqual([
      [first, second, undefined],
      [first, latest, new Set(["plant.changed"])],
    ]);
    while (await opened.records.events.expire(Date.now() + 1, 1));
    while (await opened.records.events.expire(Date.now() + 3_600_002, 1));
    await expect(node.api.replay({ account }, endpoint, all)).rejects.toMatchObject({ code: "cursor-expired" });
    // A new endpoint that began there would miss events without a word.
    await expect(node.api.create(testCaller(account), ENDPOINT)).rejects.toMatchObject({ code: "cursor-expired" });
  });
});
