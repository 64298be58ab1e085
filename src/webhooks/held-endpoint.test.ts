import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { webhookSecret } from "#contract/webhook-signature.ts";
import { eventsExpired, type PlantEvent } from "#core/event.ts";
import { outgoing, readFeed } from "./held-endpoint.ts";

const NOW = Date.now();
const URL = "https://shop.example/hooks";
const [current, former] = [1, 2].map((byte) => webhookSecret(new Uint8Array(32).fill(byte))) as [string, string];
const event = { id: "evt_1", body: '{"id":"evt_1"}', at: NOW, traceparent: undefined };

function verifies(secret: string, { body, headers }: ReturnType<typeof outgoing>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test("a webhook request is signed with the former secret too, until that one is over", () => {
  const secrets = [
    { secret: current, expiresAt: undefined },
    { secret: former, expiresAt: NOW + 1 },
  ];
  const during = outgoing({ url: URL, secrets }, event);
  expect(during).toMatchObject({ url: URL, body: event.body });
  expect([verifies(current, during), verifies(former, during)]).toEqual([true, true]);
  const after = outgoing({ url: URL, secrets }, { ...event, at: NOW + 1 });
  expect([verifies(current, after), verifies(former, after)]).toEqual([true, false]);
});

test("a webhook request carries the trace of its event, and no such header without one", () => {
  const endpoint = { url: URL, secrets: [{ secret: current, expiresAt: undefined }] };
  expect(outgoing(endpoint, event).headers).not.toHaveProperty("traceparent");
  const traceparent = "00-a-b-01";
  expect(outgoing(endpoint, { ...event, traceparent }).headers).toMatchObject({ traceparent });
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
