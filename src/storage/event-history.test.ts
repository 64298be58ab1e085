import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Kysely, type KyselyPlugin, sql } from "kysely";
import type { Actor } from "#core/caller.ts";
import { HOUR_MS } from "#core/duration.ts";
import { EVENT_TYPES, type EventPage, type EventType, type HistoryQuery, type PlantEvent } from "#core/event.ts";
import { PROGRAM } from "#core/event-actor.ts";
import { INT64_MAX } from "#core/int64.ts";
import type { AccountNumber } from "#core/plant.ts";
import { readFeed } from "#test/support/feed.ts";
import { always, newPlants } from "#test/support/plant-lists.ts";
import { describeRecords, type TestRecords } from "#test/support/test-records.ts";
import { historyReads } from "./event-history.ts";
import type { Schema } from "./schema.ts";

const ADA: Actor<"event"> = { kind: "person", id: "7Xb2", name: "Ada Lovelace\nof Kew" };
const SHOP: Actor<"event"> = { kind: "token", id: "tok_1", name: "" };
const ACTS = fc.array(
  fc.record({
    kind: fc.constantFrom("create", "change", "remove"),
    id: fc.bigInt(1n, 3n),
    name: fc.constantFrom("a", "b"),
    by: fc.constantFrom(ADA, SHOP),
  }),
  { minLength: 1, maxLength: 40 },
);
type Act = typeof ACTS extends fc.Arbitrary<readonly (infer Value)[]> ? Value : never;

/** Does it; what may not be done is refused. */
async function act({ records: { plants } }: TestRecords, account: AccountNumber, { kind, id, name, by }: Act) {
  const person = by.kind === "person" ? by : undefined;
  if (kind === "create") await plants.create(account, { id, name, tag: undefined }, undefined, person);
  else if (kind === "change") await plants.change(account, id, { name }, always, undefined, by).catch(() => {});
  else await plants.remove(account, id, always, undefined, by).catch(() => {});
}

/** Reads back, page by page, to the oldest event. */
async function readBack(read: (before: bigint) => Promise<EventPage>): Promise<PlantEvent[]> {
  const found: PlantEvent[] = [];
  for (let page = await read(INT64_MAX); ; page = await read(page.next)) {
    found.push(...page.events);
    if (!page.more) return found;
  }
}

describeRecords("the history of plants on %s", (opened, engine) => {
  const history = (account: AccountNumber, query: Partial<HistoryQuery> & Pick<HistoryQuery, "plant">) =>
    readBack((before) => opened.reads.events.history(account, { limit: 2, types: undefined, ...query, before }));
  const removed = (account: AccountNumber, limit = 2) =>
    readBack((before) => opened.reads.events.removed(account, { before, limit }));
  const doers = (account: AccountNumber, events: readonly PlantEvent[]) => opened.reads.events.doers(account, events);

  test("is its part of the feed, forwards and back, from page to page and by type", async () => {
    await fc.assert(
      fc.asyncProperty(ACTS, fc.subarray([...EVENT_TYPES], { minLength: 1 }), async (acts, some) => {
        const account = await opened.account();
        for (const each of acts) await act(opened, account, each);
        const { events } = await readFeed(opened, account);
        const types = new Set<EventType>(some);
        for (const plant of [1n, 2n, 3n]) {
          const own = events.filter((event) => event.plant.id === plant);
          expect(await history(account, { plant })).toEqual(own.toReversed());
          const ofTypes = own.filter(({ type }) => types.has(type));
          expect(await history(account, { plant, types, limit: 1 })).toEqual(ofTypes.toReversed());
          expect((await readFeed(opened, account, { plant, types })).events).toEqual(ofTypes);
          const [first] = own;
          if (first)
            expect((await readFeed(opened, account, { plant, after: first.number })).events).toEqual(own.slice(1));
        }
      }),
      { numRuns: engine === "sqlite" ? 40 : 12 },
    );
  });

  test("says who did what: the person or the token of a change or a removal, the person or a program of a create", async () => {
    await fc.assert(
      fc.asyncProperty(ACTS, async (acts) => {
        const account = await opened.account();
        const expected: unknown[] = [];
        for (const each of acts) {
          const before = (await readFeed(opened, account)).events.length;
          await act(opened, account, each);
          const { events } = await readFeed(opened, account);
          if (events.length === before) continue;
          expected.push(each.kind === "create" && each.by !== ADA ? PROGRAM : each.by);
        }
        const { events } = await readFeed(opened, account);
        expect(await doers(account, events)).toEqual(expected as never);
        const stranger = await opened.account();
        expect(await doers(stranger, events)).toEqual(
          events.map(({ type }) => (type === "plant.created" ? PROGRAM : undefined)),
        );
      }),
      { numRuns: engine === "sqlite" ? 30 : 8 },
    );
  });

  test("tells who created plants that were changed since, for a page of them, and nothing of others or another account", async () => {
    const account = await opened.account();
    const acts: Act[] = [
      { kind: "create", id: 1n, name: "a", by: ADA },
      { kind: "create", id: 2n, name: "a", by: SHOP },
      { kind: "create", id: 3n, name: "a", by: ADA },
      { kind: "change", id: 1n, name: "b", by: SHOP },
      { kind: "change", id: 2n, name: "b", by: ADA },
      { kind: "create", id: 4n, name: "a", by: ADA },
      { kind: "remove", id: 4n, name: "a", by: ADA },
    ];
    for (const each of acts) await act(opened, account, each);
    const creators = (of: AccountNumber) => opened.reads.events.creators(of, [1n, 2n, 3n, 4n, 5n]);
    const expected = new Map<bigint, Actor<"event">>([
      [1n, ADA],
      [2n, PROGRAM],
      [3n, ADA],
    ]);
    expect(await creators(account)).toEqual(expected);
    expect(await creators(await opened.account())).toEqual(new Map());
  });

  test("names the person of each plant that is created with others at once, and of none that was there", async () => {
    const account = await opened.accountWith(newPlants(2));
    const given = newPlants(20);
    const mixed = await Promise.all([
      opened.records.plants.createMany(account, given, undefined, ADA),
      ...newPlants(20, 100).map((plant) => opened.records.plants.create(account, plant)),
    ]);
    expect(mixed[0]).toEqual(given.map((_, at) => (at < 2 ? "unchanged" : "created")));
    const { events } = await readFeed(opened, account);
    const by = await doers(account, events);
    expect(events.map(({ plant }, at) => [plant.id, by[at]])).toEqual(
      events.map(({ plant }) => [plant.id, plant.id >= 2n && plant.id < 20n ? ADA : PROGRAM]),
    );
  });

  test("ends each page at an amount of text, and reads on through events of other types", async () => {
    const account = await opened.accountWith([{ id: 1n, name: "a", tag: undefined }]);
    for (const letter of "bcdefg") {
      await opened.records.plants.change(account, 1n, { name: letter.repeat(1_000_000) }, always);
    }
    const page = await opened.reads.events.history(account, {
      plant: 1n,
      before: INT64_MAX,
      limit: 100,
      types: undefined,
    });
    expect(page.events.length).toBeLessThan(4);
    expect(page.more).toBe(true);
    expect((await history(account, { plant: 1n, limit: 100 })).map(({ plant }) => plant.name[0]).join("")).toBe(
      "gfedcba",
    );
  });

  test("leaves out an event that expires while the long texts of its page are read", async () => {
    const account = await opened.account();
    await opened.records.plants.create(account, { id: 1n, name: "a".repeat(1000), tag: undefined });
    await opened.records.plants.change(account, 1n, { name: "b" }, always);
    const db = opened.storage.db as Kysely<Schema>;
    const expiring: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await db.deleteFrom("plant_events").where("account", "=", account).execute();
        return result;
      },
    };
    const { history } = historyReads(db.withPlugin(expiring), { byPlant: "", byRemoval: "", removal: "number" });
    const page = await history(account, { plant: 1n, before: INT64_MAX, limit: 10, types: undefined });
    expect(page).toMatchObject({ events: [], more: false });
  });

  test("lists the last removal of each id that is free, newest first, also of ids removed again and again", async () => {
    await fc.assert(
      fc.asyncProperty(ACTS, async (acts) => {
        const account = await opened.account();
        for (const each of acts) await act(opened, account, each);
        const { events } = await readFeed(opened, account);
        const last = new Map(events.map((event) => [event.plant.id, event]));
        const free = [...last.values()].filter(({ type }) => type === "plant.removed");
        const newestFirst = free.sort((a, b) => (a.number < b.number ? 1 : -1));
        expect(await removed(account)).toEqual(newestFirst);
        expect(await removed(account, 1)).toEqual(newestFirst);
      }),
      { numRuns: engine === "sqlite" ? 40 : 12 },
    );
  });

  test("lists what one store has removed, whatever another does with the same id afterwards", async () => {
    const [account, other] = [await opened.account(), await opened.account()];
    for (const store of [account, other])
      for (const kind of ["create", "remove"] as const) await act(opened, store, { kind, id: 1n, name: "a", by: ADA });
    expect((await removed(account)).map(({ plant }) => plant.id)).toEqual([1n]);
  });

  test("finds what was removed behind a thousand ids that are taken again, a bounded part at a time", async () => {
    const { plants } = opened.records;
    const account = await opened.accountWith(newPlants(1300));
    await plants.remove(account, 0n, always);
    const others = newPlants(1299, 1);
    for (let at = 0; at < others.length; at += 500)
      await Promise.all(others.slice(at, at + 500).map(({ id }) => plants.remove(account, id, always)));
    for (let at = 0; at < others.length; at += 500) await plants.createMany(account, others.slice(at, at + 500));
    const part = (before: bigint) => opened.reads.events.removed(account, { before, limit: 10 });
    const first = await part(INT64_MAX);
    expect(first).toMatchObject({ events: [], more: true });
    const third = await part((await part(first.next)).next);
    expect(third.events.map(({ plant }) => plant.id)).toEqual([0n]);
    // The plan must not change with what is known of the tables.
    if (engine === "postgres") await sql`ANALYZE plant_events`.execute(opened.storage.db as never);
    expect((await removed(account)).map(({ plant }) => plant.id)).toEqual([0n]);
  });

  test("is over with the events that are no longer kept, and so is who did them", async () => {
    const account = await opened.account();
    await opened.records.plants.create(account, { id: 1n, name: "a", tag: undefined }, undefined, ADA);
    await opened.records.plants.create(account, { id: 2n, name: "b", tag: undefined }, undefined, ADA);
    await opened.records.plants.change(account, 1n, { name: "b" }, always, undefined, ADA);
    await opened.records.plants.remove(account, 2n, always, undefined, ADA);
    const now = Date.now();
    const { events } = opened.records;
    while (await events.expire(now + 1, 1));
    while (await events.expire(now + HOUR_MS + 2, 1));
    expect(await history(account, { plant: 1n })).toEqual([]);
    expect(await removed(account)).toEqual([]);
    const kept = opened.storage.db.selectFrom("plant_event_actors").selectAll().where("account", "=", account);
    expect(await kept.execute()).toEqual([]);
    await opened.records.plants.change(account, 1n, { name: "c" }, always, undefined, SHOP);
    const [changed, ...older] = await history(account, { plant: 1n });
    expect(older).toEqual([]);
    expect(changed).toMatchObject({ type: "plant.changed", previous: { name: "b" } });
  });

  test("has a change of which nobody was recorded", async () => {
    const account = await opened.accountWith([{ id: 1n, name: "a", tag: undefined }]);
    const after = await opened.records.events.latest();
    const columns = "(number, account, kind, at, plant_id, name, tag, old_name, old_tag, created_at, updated_at)";
    const into = sql.raw(`plant_events ${columns}`);
    await sql`INSERT INTO ${into} VALUES (${after}, ${account}, 1, 5, 1, 'b', NULL, 'a', NULL, 5, 5)`.execute(
      opened.storage.db as never,
    );
    const events = await history(account, { plant: 1n });
    expect(events.at(-1)).toMatchObject({ at: 5, previous: { name: "a" } });
    expect(await doers(account, events.slice(-1))).toEqual([undefined]);
  });
});
