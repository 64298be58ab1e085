import { beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { eventId } from "#core/event.ts";
import type { EndpointProgress } from "#storage/webhook-outcomes.ts";
import { DeliveryWorld, heldEndpoint } from "#test/support/delivery-world.ts";
import { EndpointDelivery } from "./endpoint-delivery.ts";

const endpoint = heldEndpoint({ delivery: "notice" });
const noticeAt = (position: bigint) => `${eventId(position)}_notice`;

let world: DeliveryWorld;
let queue: EndpointDelivery;
beforeEach(() => {
  world = new DeliveryWorld();
  queue = new EndpointDelivery(endpoint, world);
});

describe("a notice", () => {
  test("comes at most once a second, and says from where to read", async () => {
    for (let at = 0; at < 50; at++) {
      queue.wake(world.add(10));
      await world.pass(100, queue);
    }
    await world.pass(2000, queue);
    expect(world.sent.length).toBeGreaterThanOrEqual(5);
    expect(world.sent.length).toBeLessThanOrEqual(7);
    expect(world.sent[0]).toBe(noticeAt(0n));
    expect(world.kept?.position).toBe(500n);
  });

  test("that fails is sent again by the schedule, with the same id", async () => {
    world.status = 500;
    queue.wake(world.add(10));
    await world.pass(10 * 60_000, queue);
    expect(world.sent).toEqual(Array.from({ length: 3 }, () => noticeAt(0n)));
    expect(world.kept).toMatchObject({ position: 0n, failures: 3 });
  });

  test("is not sent for events that the endpoint does not ask for, and these are passed over", async () => {
    const until = world.add(10);
    world.feed.length = 0;
    queue.wake(until);
    await world.pass(HOUR_MS, queue);
    expect([world.sent, world.kept?.position]).toEqual([[], 10n]);
  });

  test("tells of what came while it was sent with the next one alone", async () => {
    const answer = world.holdAnswers();
    queue.wake(world.add(5));
    await world.settle(queue);
    queue.wake(world.add(5));
    answer();
    await world.settle(queue);
    expect(world.kept?.position).toBe(5n);
    await world.pass(1000, queue);
    expect([world.sent, world.kept?.position]).toEqual([[noticeAt(0n), noticeAt(5n)], 10n]);
  });

  test("that succeeds after failures ends them: the next failure waits as long as a first one", async () => {
    world.status = 500;
    queue.wake(world.add(1));
    await world.pass(10 * 60_000, queue);
    world.status = 200;
    await world.pass(HOUR_MS, queue);
    expect(world.kept).toMatchObject({ status: "enabled", failures: 0, position: 1n });
    world.status = 500;
    world.sent.length = 0;
    queue.wake(world.add(1));
    await world.pass(10_000, queue);
    expect(world.sent).toEqual([noticeAt(1n), noticeAt(1n)]);
    expect(world.kept?.log.at(-2)).toMatchObject({ attempt: 1, status: "waiting" });
  });

  test("that is answered 410 disables the endpoint, which is not looked at again", async () => {
    world.status = 410;
    queue.wake(world.add(1));
    await world.settle(queue);
    expect(world.kept).toMatchObject({ status: "disabled", reason: "gone", position: 0n });
    expect(world.kept?.disabled).toEqual({ account: endpoint.account, url: endpoint.url });
    queue.settled(true);
    // The account is told once.
    expect(queue.takeProgress()).toMatchObject({ status: "disabled", disabled: undefined });
    queue.wake(world.add(1));
    await world.settle(queue);
    expect([world.sent.length, world.timers]).toEqual([1, 0]);
  });

  test("that disables an endpoint which was changed meanwhile is told of once that is stored", async () => {
    world.status = 410;
    queue.wake(world.add(1));
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    const told = { account: endpoint.account, url: endpoint.url };
    for (const isRefused of [true, true, false]) {
      expect(queue.takeProgress()).toMatchObject({ status: "disabled", disabled: told });
      queue.settled(isRefused);
    }
    expect(queue.takeProgress()).toBeUndefined();
  });

  test("whose answer comes after the endpoint was dropped is not counted", async () => {
    const answer = world.holdAnswers();
    queue.wake(world.add(1));
    await world.settle(queue);
    queue.drop();
    answer();
    await world.settle(queue);
    expect([world.kept, world.timers]).toEqual([undefined, 0]);
  });

  test("is sent a second after the feed could not be read, once it can be", async () => {
    world.isOut = true;
    queue.wake(world.add(1));
    await world.pass(2500, queue);
    expect(world.sent).toEqual([]);
    world.isOut = false;
    await world.pass(1000, queue);
    expect(world.sent).toEqual([noticeAt(0n)]);
  });

  test("that is answered 429 with Retry-After waits that long, also in the hands of another node", async () => {
    world.status = 429;
    world.retryAfterMs = HOUR_MS;
    const until = world.add(1);
    queue.wake(until);
    await world.settle(queue);
    queue.drop();
    world.status = 200;
    const { failures, notBefore } = world.kept as EndpointProgress;
    const next = new EndpointDelivery({ ...endpoint, failures, notBefore }, world);
    next.wake(until);
    await world.pass(HOUR_MS - 1000, next);
    expect(world.sent.length).toBe(1);
    await world.pass(2000, next);
    expect(world.sent.length).toBe(2);
  });
});
