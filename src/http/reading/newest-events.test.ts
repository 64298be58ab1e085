import { expect, test } from "bun:test";
import { EVENT_TYPES, type EventType, type PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import { readFeed } from "#test/support/feed.ts";
import { always } from "#test/support/plant-lists.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { type NewestEvents, newestEvents } from "./newest-events.ts";

const TYPES: readonly (ReadonlySet<EventType> | undefined)[] = [
  undefined,
  ...EVENT_TYPES.map((type) => new Set([type])),
];

describeRecords("the newest events on %s", (opened) => {
  /** The whole feed, oldest first. */
  async function feed(account: AccountNumber, types: ReadonlySet<EventType> | undefined): Promise<PlantEvent[]> {
    const { events } = await readFeed(opened, account, { limit: 1000, types });
    return [...events];
  }

  async function newest(account: AccountNumber, types: ReadonlySet<EventType> | undefined, limit: number) {
    const seen: PlantEvent[] = [];
    let until: bigint | undefined = await opened.records.events.latest();
    do {
      const page: NewestEvents = await newestEvents(opened.reads.events, account, { until, limit, types });
      seen.push(...page.events);
      until = page.next;
    } while (until !== undefined);
    return seen;
  }

  test("they are the feed turned around, each event once, whatever the pages and the type", async () => {
    const [account, other] = [await opened.account(), await opened.account()];
    const { plants } = opened.records;
    for (let id = 1n; id <= 40n; id++) {
      await plants.create(account, { id, name: `Fern ${id}`, tag: undefined });
      await plants.create(other, { id, name: "Foreign", tag: undefined });
      if (id % 3n === 0n) await plants.change(account, id, { name: `Rose ${id}` }, always);
      if (id % 7n === 0n) await plants.remove(account, id, always);
    }
    for (const types of TYPES) {
      const expected = (await feed(account, types)).toReversed();
      expect(expected.length).toBeGreaterThan(4);
      for (const limit of [1, 7, 200]) expect(await newest(account, types, limit)).toEqual(expected);
    }
  });

  test("the newest of events with the longest names come first, though one page cannot hold them all", async () => {
    const account = await opened.account();
    const ids = Array.from({ length: 16 }, (_, index) => BigInt(index));
    for (const id of ids)
      await opened.records.plants.create(account, { id, name: "x".repeat(1_000_000), tag: undefined });
    expect((await newest(account, undefined, 100)).map(({ plant }) => plant.id)).toEqual(ids.toReversed());
  });

  test("an account without events has none", async () => {
    expect(await newest(await opened.account(), undefined, 100)).toEqual([]);
  });
});
