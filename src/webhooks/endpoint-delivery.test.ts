import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import { eventId, eventsExpired, type PlantEvent } from "#core/event.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import { DeliveryWorld, heldEndpoint as endpoint } from "#test/support/delivery-world.ts";
import { readFeed } from "./backlog.ts";
import { EndpointDelivery } from "./endpoint-delivery.ts";

describe("delivery of each event", () => {
  let world: DeliveryWorld;
  beforeEach(() => {
    world = new DeliveryWorld();
  });

  /** A queue that is woken with so many new events. */
  function woken(count: number): EndpointDelivery {
    const queue = new EndpointDelivery(endpoint(), world);
    queue.wake(world.add(count));
    return queue;
  }

  test("sends every event once and moves the position to the end; successes leave no row", async () => {
    const queue = woken(450);
    await world.settle(queue);
    expect(world.sent.toSorted()).toEqual(world.feed.map(({ number }) => eventId(number)));
    expect(world.kept).toMatchObject({ position: 450n, status: "enabled" });
    expect(world.rows.size).toBe(0);
    expect(world.kept?.log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 450 }, (_, at) => at + 1));
  });

  test("attempts a failed event by the schedule, ten times, and then no more", async () => {
    world.status = 500;
    const queue = woken(1);
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
    const queue = woken(500);
    await world.settle(queue);
    expect(world.kept).toMatchObject({ status: "paused", reason: "failing" });
    const { position } = world.kept as EndpointProgress;
    expect(position).toBeLessThan(40n);
    const rows = world.rows.size;
    world.sent.length = 0;
    const logged = world.kept?.log.at(-1)?.sequence ?? 0;
    // Longer than an event is attempted for.
    await world.pass(100 * HOUR_MS, queue);
    expect(world.sent).toEqual(Array.from({ length: 3000 }, () => eventId(1n)));
    expect([world.kept?.position, world.rows.size]).toEqual([position, rows]);
    expect(world.kept?.log.at(-1)).toMatchObject({
      sequence: logged + 1,
      status: "waiting",
      nextAt: world.kept?.notBefore,
    });
    world.status = 200;
    await world.pass(30 * HOUR_MS, queue);
    expect(world.kept).toMatchObject({ status: "enabled", reason: undefined, failingSince: undefined, position: 500n });
    expect(world.rows.size).toBe(0);
    const succeeded = world.kept?.log.filter(({ status }) => status === "succeeded").map(({ event }) => event);
    expect(succeeded?.toSorted()).toEqual(world.feed.map(({ number }) => eventId(number)));
  });

  test.each([429, 503])("holds everything back for as long as a %d says, and then sends it", async (status) => {
    world.status = status;
    world.retryAfterMs = HOUR_MS;
    const queue = woken(30);
    await world.pass(HOUR_MS - 1000, queue);
    expect([world.sent.length, world.kept?.notBefore]).toEqual([8, 1_000_000 + HOUR_MS]);
    world.status = 200;
    await world.pass(2000, queue);
    expect([world.sent.length, world.rows.size]).toEqual([38, 0]);
  });

  test("waits for no time that a clock far ahead has set", async () => {
    const farAhead = world.time + 30 * DAY_MS;
    world.rows.set(1n, { number: 1n, attempts: 1, nextAt: farAhead });
    const queue = new EndpointDelivery(endpoint({ position: 1n, notBefore: farAhead }), world);
    queue.wake(world.add(2));
    await world.settle(queue);
    expect(world.sent.toSorted()).toEqual([eventId(1n), eventId(2n)]);
    const notices = new EndpointDelivery(endpoint({ delivery: "notice", notBefore: farAhead }), world);
    notices.wake(world.add(1));
    await world.settle(notices);
    expect(world.sent).toHaveLength(3);
  });

  test("delivers replays one after another, each to its end and once, whatever is asked for meanwhile", async () => {
    world.add(300);
    world.replaying.push({ id: "rpl_1", position: 0n, until: 250n, types: undefined });
    const queue = new EndpointDelivery(endpoint({ position: 300n }), world);
    queue.wake(300n);
    await world.settle(queue);
    world.replaying.push({ id: "rpl_2", position: 290n, until: 300n, types: undefined });
    queue.update(endpoint({ revision: 2 }));
    await world.pass(HOUR_MS, queue);
    const both = [...world.feed.slice(0, 250), ...world.feed.slice(290)];
    expect(world.sent).toEqual(both.map(({ number }) => eventId(number)));
  });

  test.each([
    ["before its end", "replayed first"],
    ["after its end", "ended first"],
  ])("a retry that a replay names %s is sent once more, where neither was stored yet", async (_, order) => {
    world.status = 500;
    const queue = woken(1);
    await world.settle(queue);
    const answer = world.holdAnswers();
    world.status = 200;
    await world.pass(6000, queue);
    const happens = async (act: () => void) => {
      act();
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    };
    const replay = () => {
      world.replaying.push({ id: "rpl_1", position: 0n, until: 1n, types: undefined });
      queue.update(endpoint({ revision: 2 }));
    };
    const acts = [replay, answer];
    for (const act of order === "ended first" ? acts.reverse() : acts) await happens(act);
    world.sent.length = 0;
    await world.pass(HOUR_MS, queue);
    expect([world.sent, world.rows.size]).toEqual([[eventId(1n)], 0]);
  });

  test("knows how many events wait, however often replays name them", async () => {
    const queue = new EndpointDelivery(endpoint(), world);
    for (let round = 1; round <= 100; round++) {
      world.status = 500;
      queue.wake(world.add(5));
      await world.settle(queue);
      world.status = 200;
      const until = BigInt(world.feed.length);
      world.replaying.push({ id: `rpl_${round}`, position: until - 5n, until, types: undefined });
      queue.update(endpoint({ revision: round + 1 }));
      await world.settle(queue);
      // Where more than 400 seem to wait, no replay is read.
      expect([round, world.rows.size]).toEqual([round, 0]);
    }
  });
});

test("events and notices have the shape of their endpoint's version, whichever is the newest", async () => {
  const world = new DeliveryWorld();
  const events = new EndpointDelivery(endpoint({ version: "1.7.0" }), world);
  const notices = new EndpointDelivery(endpoint({ version: "2.0.0", delivery: "notice" }), world);
  const until = world.add(1);
  for (const queue of [events, notices]) {
    queue.wake(until);
    await world.settle(queue);
    queue.drop();
  }
  expect(world.bodies).toEqual(["event 1 of 1.7.0", "notice of 2.0.0"]);
});

const RANGE = { after: 3n, until: 50n, limit: 10, types: undefined };
const plant = { id: 1n, name: "Fern", tag: undefined, createdAt: 0, updatedAt: 0 };
const EVENT: PlantEvent = { number: 4n, type: "plant.created", at: 0, plant, previous: undefined };

function feed(oldest: bigint, fails?: Error) {
  const read = async () => {
    if (fails) throw fails;
    return { events: [EVENT], next: 4n, more: false };
  };
  return { events: { read, find: async () => undefined, oldest: async () => oldest } };
}

test.each([
  [20n, true],
  [50n, false],
])("where older events are gone the feed is read on from %p", async (oldest, more) => {
  expect(await readFeed(feed(oldest, eventsExpired()), { account: 1 }, RANGE)).toEqual({
    events: [],
    next: oldest,
    more,
  });
});

test("an error of the storage is not taken for the end of the feed", async () => {
  await expect(readFeed(feed(0n, new Error("out of reach")), { account: 1 }, RANGE)).rejects.toThrow("out of reach");
});
