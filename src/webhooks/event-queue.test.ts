import { beforeEach, describe, expect, test } from "bun:test";
import { webhookSecret } from "#contract/webhook-signature.ts";
import { type EventQuery, eventId, type PlantEvent } from "#core/event.ts";
import type { EndpointProgress, Replay, Retry } from "#storage/webhook-progress.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import { DeliveryTraces } from "./delivery-traces.ts";
import { EventQueue } from "./event-queue.ts";
import type { DeliveryParts, EndpointQueue, HeldEndpoint } from "./held-endpoint.ts";
import { NoticeQueue } from "./notice-queue.ts";

const HOUR_MS = 3_600_000;

/** The world of a queue with its clock in the test's hand: a feed, the rows of retries, and a receiver. */
class World implements DeliveryParts {
  time = 1_000_000;
  readonly feed: PlantEvent[] = [];
  readonly rows = new Map<bigint, Retry>();
  readonly replaying: Replay[] = [];
  readonly sent: string[] = [];
  status = 200;
  /** Set to hold answers back. */
  hold: Promise<void> | undefined;
  kept: EndpointProgress | undefined;
  #timers: { time: number; act: () => void }[] = [];

  readonly events = {
    read: async (_account: number, { after, limit, until = 10n ** 9n }: EventQuery) => {
      const found = this.feed.filter(({ number }) => number > after && number <= until);
      const events = found.slice(0, limit);
      const more = found.length > limit;
      return { events, more, next: more ? (events.at(-1)?.number ?? after) : until };
    },
    find: async (_account: number, number: bigint) => this.feed.find((event) => event.number === number),
    oldest: async () => 0n,
  };
  readonly work = {
    lastSequence: async () => this.kept?.log.at(-1)?.sequence ?? 0,
    countRetries: async () => this.rows.size,
    replays: async () => this.replaying,
    retries: async (_id: string, limit: number, byNumber = false) => {
      const order = (a: Retry, b: Retry) => (byNumber ? Number(a.number - b.number) : a.nextAt - b.nextAt);
      return [...this.rows.values()].sort(order).slice(0, limit);
    },
  };
  readonly bodies: string[] = [];
  readonly shapeOf = (version: string) => ({
    webhookEventBody: ({ number }: PlantEvent) => `event ${number} of ${version}`,
    noticeBody: () => `notice of ${version}`,
  });
  readonly traces = new DeliveryTraces(undefined);
  readonly now = () => this.time;
  readonly random = () => 0.5;

  async send({ headers, body }: Outgoing): Promise<AttemptResult> {
    this.sent.push(headers["webhook-id"] ?? "");
    this.bodies.push(body);
    await this.hold;
    const succeeded = this.status < 300;
    const error = succeeded ? undefined : ("http_status" as const);
    return { succeeded, httpStatus: this.status, error, ms: 1, retryAfterMs: undefined, excerpt: undefined };
  }

  at(time: number, act: () => void): () => void {
    const timer = { time, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  failed(error: unknown): void {
    throw error;
  }

  add(count: number): bigint {
    for (let at = 0; at < count; at++) {
      const number = BigInt(this.feed.length + 1);
      const plant = { id: number, name: "x", tag: undefined, createdAt: 0, updatedAt: 0 };
      this.feed.push({ number, type: "plant.created", at: 0, plant, previous: undefined });
    }
    return BigInt(this.feed.length);
  }

  /** Lets everything that needs no time happen, and keeps it as the store would. */
  async settle(queue: EndpointQueue): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      const progress = queue.takeProgress();
      quiet = progress ? 0 : quiet + 1;
      if (!progress) continue;
      for (const retry of progress.retries) this.rows.set(retry.number, retry);
      for (const number of progress.over) this.rows.delete(number);
      this.kept = { ...progress, log: [...(this.kept?.log ?? []), ...progress.log] };
      queue.settled(false);
    }
  }

  /** Moves the clock on, timer by timer. */
  async pass(ms: number, queue: EndpointQueue): Promise<void> {
    const end = this.time + ms;
    await this.settle(queue);
    for (;;) {
      const [next] = this.#timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time);
      if (!next) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.time = Math.max(this.time, next.time);
      next.act();
      await this.settle(queue);
    }
    this.time = end;
  }
}

const secret = webhookSecret(new Uint8Array(32));
const endpoint = (more: Partial<HeldEndpoint> = {}): HeldEndpoint => ({
  id: "we_1",
  account: 1,
  url: "https://shop.example.com/",
  types: undefined,
  delivery: "each",
  version: "1.0.0",
  position: 0n,
  revision: 1,
  secrets: [{ secret, expiresAt: undefined }],
  status: "enabled",
  reason: undefined,
  failingSince: undefined,
  failures: 0,
  ...more,
});

describe("delivery of each event", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  test("sends every event once and moves the position to the end; successes leave no row", async () => {
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(450));
    await world.settle(queue);
    expect(world.sent.toSorted()).toEqual(world.feed.map(({ number }) => eventId(number)));
    expect(world.kept).toMatchObject({ position: 450n, status: "enabled" });
    expect(world.rows.size).toBe(0);
    expect(world.kept?.log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 450 }, (_, at) => at + 1));
  });

  test("never moves the position past an event that is still being sent", async () => {
    let answer = () => {};
    world.hold = new Promise((resolve) => {
      answer = resolve;
    });
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(20));
    await world.settle(queue);
    expect(world.sent.length).toBe(8);
    expect(world.kept?.position ?? 0n).toBe(0n);
    world.hold = undefined;
    answer();
    await world.settle(queue);
    expect(world.kept?.position).toBe(20n);
  });

  test("attempts a failed event by the schedule, ten times, and then no more", async () => {
    world.status = 500;
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(1));
    await world.settle(queue);
    expect(world.kept).toMatchObject({ position: 1n, status: "enabled", failures: 1 });
    await world.pass(80 * HOUR_MS, queue);
    expect(world.sent).toEqual(Array.from({ length: 10 }, () => eventId(1n)));
    expect(world.rows.size).toBe(0);
    const [first, last] = [world.kept?.log.at(0), world.kept?.log.at(-1)];
    expect(first).toMatchObject({ attempt: 1, status: "waiting" });
    expect(last).toMatchObject({ attempt: 10, status: "failed", nextAt: undefined });
    expect(((last?.at ?? 0) - (first?.at ?? 0)) / HOUR_MS).toBeCloseTo(75.585, 1);
  });

  test("pauses after 20 failures in a row: the position stands, one event tries, and a success sets it going", async () => {
    world.status = 503;
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(500));
    await world.settle(queue);
    expect(world.kept).toMatchObject({ status: "paused", reason: "failing" });
    const { position } = world.kept as EndpointProgress;
    expect(position).toBeLessThan(40n);
    const rows = world.rows.size;
    world.sent.length = 0;
    await world.pass(24 * HOUR_MS, queue);
    expect(new Set(world.sent)).toEqual(new Set([eventId(1n)]));
    expect([world.kept?.position, world.rows.size]).toEqual([position, rows]);
    world.status = 200;
    await world.pass(30 * HOUR_MS, queue);
    expect(world.kept).toMatchObject({ status: "enabled", reason: undefined, failingSince: undefined, position: 500n });
    expect(world.rows.size).toBe(0);
    const succeeded = world.kept?.log.filter(({ status }) => status === "succeeded").map(({ event }) => event);
    expect(succeeded?.toSorted()).toEqual(world.feed.map(({ number }) => eventId(number)));
  });

  test("is disabled after five days of failure, and keeps its position", async () => {
    world.status = 500;
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(100));
    await world.pass(5 * 24 * HOUR_MS - HOUR_MS, queue);
    expect(world.kept?.status).toBe("paused");
    const position = world.kept?.position;
    await world.pass(48 * HOUR_MS, queue);
    expect(world.kept).toMatchObject({ status: "disabled", reason: "failing", position });
    world.sent.length = 0;
    await world.pass(100 * HOUR_MS, queue);
    expect(world.sent).toEqual([]);
  });

  test("is disabled at once by a 410", async () => {
    world.status = 410;
    const queue = new EventQueue(endpoint(), world);
    queue.wake(world.add(1));
    await world.settle(queue);
    expect(world.kept).toMatchObject({ status: "disabled", reason: "gone" });
  });

  test("goes on from its position and its rows after a restart", async () => {
    world.status = 500;
    const first = new EventQueue(endpoint(), world);
    first.wake(world.add(5));
    await world.settle(first);
    first.close();
    expect(world.rows.size).toBe(5);
    world.status = 200;
    world.sent.length = 0;
    const { position, failures, failingSince } = world.kept as EndpointProgress;
    const second = new EventQueue(endpoint({ position, failures, failingSince }), world);
    second.wake(world.add(5));
    await world.pass(HOUR_MS, second);
    expect(world.sent.toSorted()).toEqual(world.feed.map(({ number }) => eventId(number)));
    expect(world.rows.size).toBe(0);
  });

  test("delivers a replay again, under the same ids", async () => {
    world.add(1000);
    world.replaying.push({ id: "rpl_1", position: 100n, until: 900n, types: undefined });
    const queue = new EventQueue(endpoint({ position: 1000n }), world);
    queue.wake(1000n);
    await world.pass(HOUR_MS, queue);
    expect(world.sent.toSorted()).toEqual(world.feed.slice(100, 900).map(({ number }) => eventId(number)));
    expect(world.rows.size).toBe(0);
  });
});

test("notices come at most once a second, and say from where to read", async () => {
  const world = new World();
  const queue = new NoticeQueue(endpoint({ delivery: "notice" }), world);
  for (let at = 0; at < 50; at++) {
    queue.wake(world.add(10));
    await world.pass(100, queue);
  }
  await world.pass(2000, queue);
  expect(world.sent.length).toBeGreaterThanOrEqual(5);
  expect(world.sent.length).toBeLessThanOrEqual(7);
  expect(world.sent[0]).toBe(`${eventId(0n)}_notice`);
  expect(world.kept?.position).toBe(500n);
});

test("a notice that fails is sent again by the schedule, with the same id", async () => {
  const world = new World();
  world.status = 500;
  const queue = new NoticeQueue(endpoint({ delivery: "notice" }), world);
  queue.wake(world.add(10));
  await world.pass(10 * 60_000, queue);
  expect(world.sent).toEqual(Array.from({ length: 3 }, () => `${eventId(0n)}_notice`));
  expect(world.kept).toMatchObject({ position: 0n, failures: 3 });
});

test("events and notices have the shape of their endpoint's version, whichever is the newest", async () => {
  const world = new World();
  const events = new EventQueue(endpoint({ version: "1.7.0" }), world);
  const notices = new NoticeQueue(endpoint({ version: "2.0.0", delivery: "notice" }), world);
  const until = world.add(1);
  for (const queue of [events, notices]) {
    queue.wake(until);
    await world.settle(queue);
    queue.close();
  }
  expect(world.bodies).toEqual(["event 1 of 1.7.0", "notice of 2.0.0"]);
});
