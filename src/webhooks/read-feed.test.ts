import { expect, test } from "bun:test";
import { eventsExpired, type PlantEvent } from "#core/event.ts";
import { readFeed } from "./read-feed.ts";

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

test("events are given as the feed has them", async () => {
  expect(await readFeed(feed(0n), { account: 1 }, RANGE)).toEqual({ events: [EVENT], next: 4n, more: false });
});

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
