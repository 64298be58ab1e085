import { expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import pg from "pg";
import { HOUR_MS } from "#core/duration.ts";
import { EVENT_TYPES, type EventPage, type EventType, type PlantEvent } from "#core/event.ts";
import { INT64_MAX, INT64_MIN } from "#core/int64.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { Records } from "#core/records.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { always, newPlants } from "#test/support/plant-lists.ts";
import { describeRecords, type TestRecords } from "#test/support/test-records.ts";
import { openStorage } from "./open.ts";

const STEP = fc.record({
  kind: fc.constantFrom("create", "change", "remove", "read"),
  id: fc.bigInt(1n, 6n),
  name: fc.constantFrom("a", "b"),
  tag: fc.constantFrom(undefined, "", "t"),
  reader: fc.nat({ max: 3 }),
  limit: fc.integer({ min: 1, max: 5 }),
});
type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
const STEPS = fc.array(STEP, { minLength: 1, maxLength: 40 });
const READERS: readonly (ReadonlySet<EventType> | undefined)[] = [
  undefined,
  new Set(["plant.created"]),
  new Set(["plant.changed", "plant.removed"]),
  new Set(EVENT_TYPES),
];

/** An event without what the model cannot know: numbers and times. */
type Told = Pick<PlantEvent, "type" | "previous"> & Pick<PlantEvent["plant"], "id" | "name" | "tag">;

function told({ type, plant: { id, name, tag }, previous }: PlantEvent): Told {
  return { type, id, name, tag, previous };
}

class Reader {
  readonly seen: PlantEvent[] = [];
  after = 0n;
  constructor(readonly types: ReadonlySet<EventType> | undefined) {}

  async read(opened: TestRecords, account: AccountNumber, limit: number): Promise<EventPage> {
    const page = await readFeed(opened, account, { after: this.after, limit, types: this.types });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    this.seen.push(...page.events);
    this.after = page.next;
    return page;
  }

  async readAll(opened: TestRecords, account: AccountNumber): Promise<void> {
    while ((await this.read(opened, account, 7)).more);
  }
}

/** Does the step, and says which event must come of it. */
async function act(records: Records, account: AccountNumber, kept: Map<bigint, Told>, { kind, id, name, tag }: Step) {
  const before = kept.get(id);
  if (kind === "create") {
    if ((await records.plants.create(account, { id, name, tag })) !== "created") return undefined;
    kept.set(id, { type: "plant.created", id, name, tag, previous: undefined });
    return kept.get(id);
  }
  if (!before) return undefined;
  if (kind === "remove") {
    await records.plants.remove(account, id, always);
    kept.delete(id);
    return { ...before, type: "plant.removed", previous: undefined } as const;
  }
  await records.plants.change(account, id, { name, tag: tag ?? null }, always);
  if (before.name === name && before.tag === tag) return undefined;
  kept.set(id, { type: "plant.changed", id, name, tag, previous: { name: before.name, tag: before.tag } });
  return kept.get(id);
}

/** Does all steps; gives the events that must come of them. */
async function play(opened: TestRecords, account: AccountNumber, steps: readonly Step[], readers: readonly Reader[]) {
  const kept = new Map<bigint, Told>();
  const history: Told[] = [];
  for (const step of steps) {
    if (step.kind === "read") await readers[step.reader]?.read(opened, account, step.limit);
    else history.push(...[await act(opened.records, account, kept, step)].filter((event) => event !== undefined));
  }
  return history;
}

describeRecords("the feed of changes on %s", (opened, engine) => {
  test("gives each reader the whole history in order, wherever it stopped and went on", async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const account = await opened.account();
        const readers = READERS.map((types) => new Reader(types));
        const history = await play(opened, account, steps, readers);
        for (const reader of readers) {
          await reader.readAll(opened, account);
          expect(reader.seen.map(told)).toEqual(history.filter(({ type }) => reader.types?.has(type) ?? true));
          const numbers = reader.seen.map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => (a < b ? -1 : 1)));
          for (const event of reader.seen)
            expect(await opened.records.events.find(account, event.number)).toEqual(event);
        }
      }),
      { numRuns: engine === "sqlite" ? 50 : 15 },
    );
  });

  test("says of a plant what GET said then: its times, and the name and tag before a change", async () => {
    const account = await opened.account();
    await opened.records.plants.create(account, { id: -5n, name: "Fern", tag: "shade" });
    const created = (await opened.records.plants.find(account, -5n)) as Plant;
    const changed = await opened.records.plants.change(account, -5n, { tag: null }, always);
    await opened.records.plants.remove(account, -5n, always);
    const { events } = await readFeed(opened, account);
    expect(events.map(({ type }) => type)).toEqual(["plant.created", "plant.changed", "plant.removed"]);
    const members = ({ id, name, tag, createdAt, updatedAt }: Plant) => ({ id, name, tag, createdAt, updatedAt });
    expect(events.map(({ plant }) => plant)).toEqual([members(created), members(changed), members(changed)]);
    expect(events[1]?.previous).toEqual({ name: "Fern", tag: "shade" });
    expect(events.map(({ at }) => at)).toEqual([created.createdAt, changed.updatedAt, expect.any(Number)]);
  });

  test("stores a name once for each change that leaves it as it is, and twice for one that replaces it", async () => {
    const account = await opened.account();
    const name = "a long name".repeat(10_000);
    await opened.records.plants.create(account, { id: 1n, name, tag: undefined });
    for (const patch of [{ tag: "shade" }, { tag: "sun" }, { name: `${name}!` }])
      await opened.records.plants.change(account, 1n, patch, always);
    const stored = opened.storage.db.selectFrom("plant_events").where("account", "=", account).orderBy("number");
    const units = sql<number>`length(name) + coalesce(length(old_name), 0)`.as("units");
    const rows = await stored.select(units).execute();
    expect(rows.map((row) => Math.floor(row.units / name.length))).toEqual([1, 1, 1, 2]);
    const { events } = await readFeed(opened, account);
    expect(events.map(({ previous }) => previous && [previous.name === name, previous.tag])).toEqual([
      undefined,
      [true, undefined],
      [true, "shade"],
      [true, "sun"],
    ]);
  });

  test("keeps accounts apart, in the feed and by id", async () => {
    const [one, other] = [await opened.account(), await opened.account()];
    await opened.records.plants.createMany(one, newPlants(3));
    const { events, next } = await readFeed(opened, one);
    expect((await readFeed(opened, other)).events).toEqual([]);
    for (const { number } of events) expect(await opened.records.events.find(other, number)).toBeUndefined();
    expect(await opened.records.events.accountsWithEvents([one, other], 0n, next)).toEqual([one]);
  });

  test("moves a quiet reader on, so that its cursor does not grow old", async () => {
    const [busy, quiet] = [await opened.account(), await opened.account()];
    const before = (await readFeed(opened, quiet)).next;
    await opened.records.plants.createMany(busy, newPlants(10));
    const page = await readFeed(opened, quiet, { after: before });
    expect(page).toMatchObject({ events: [], more: false });
    expect(page.next).toBeGreaterThanOrEqual(before + 10n);
  });

  test("cuts pages at 4 MiB of UTF-8, however much of it could be read at first, and goes on where it cut", async () => {
    const account = await opened.account();
    const long = (id: number) => ({ id: BigInt(id), name: "あ".repeat(333_333), tag: undefined });
    await opened.records.plants.createMany(account, [1, 2, 3].map(long));
    expect((await readFeed(opened, account)).events.length).toBe(3);
    await opened.records.plants.createMany(account, [4, 5, 6, 7].map(long));
    const first = await readFeed(opened, account);
    expect([first.events.length, first.more]).toEqual([5, true]);
    const second = await readFeed(opened, account, { after: first.next });
    expect([...first.events, ...second.events].map(({ plant }) => plant.id)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
  });

  test("cuts pages by all text that was read for them, the names before a change too", async () => {
    const ids = [1n, 2n, 3n, 4n];
    const name = "x".repeat(1_000_000);
    const account = await opened.accountWith(ids.map((id) => ({ id, name, tag: undefined })));
    for (const id of ids) {
      await opened.records.plants.change(account, id, { name: "y".repeat(1_000_000) }, always);
      for (let from = 0; from < 2500; from += 500) {
        await opened.records.plants.createMany(account, newPlants(500, Number(id) * 10_000 + from));
      }
    }
    const changes = { types: new Set(["plant.changed"] as const) };
    const first = await readFeed(opened, account, changes);
    expect([first.events.map(({ plant }) => plant.id), first.more]).toEqual([[1n, 2n, 3n], true]);
    const second = await readFeed(opened, account, { ...changes, after: first.next });
    expect(second.events.map(({ plant }) => plant.id)).toEqual([4n]);
  });

  test("reads a bounded number of rows for a page, and then says that there is more", async () => {
    const account = await opened.accountWith(newPlants(24_000));
    const none = { types: new Set(["plant.removed"] as const) };
    const first = await readFeed(opened, account, none);
    expect(first).toMatchObject({ events: [], more: true });
    expect(await readFeed(opened, account, { ...none, after: first.next })).toMatchObject({ events: [], more: false });
    const last = (await opened.records.events.latest()) - 15_000n;
    const page = await opened.reads.events.read(account, {
      after: last,
      until: INT64_MAX,
      limit: 20_000,
      types: undefined,
    });
    expect([page.events.length, page.more, page.next]).toEqual([15_000, false, INT64_MAX]);
  });

  test("says of a full page that ends with the newest event that there is no more", async () => {
    const account = await opened.accountWith(newPlants(3));
    expect(await readFeed(opened, account, { limit: 3 })).toMatchObject({ events: { length: 3 }, more: false });
    expect(await readFeed(opened, account, { limit: 2 })).toMatchObject({ events: { length: 2 }, more: true });
  });

  test("may be asked for from and up to any number", async () => {
    const account = await opened.accountWith(newPlants(10));
    const { events } = opened.reads;
    const head = await opened.records.events.latest();
    const everything = { after: 0n, until: INT64_MAX, limit: 100, types: undefined };
    const expired = { code: "cursor-expired" };
    await expect(events.read(account, { ...everything, after: INT64_MIN })).rejects.toMatchObject(expired);
    const last = { events: [], next: INT64_MAX, more: false };
    expect(await events.read(account, { ...everything, after: INT64_MAX })).toEqual(last);
    const page = await events.read(account, { ...everything, after: head - 5n, until: head });
    expect([page.events[0]?.number, page.next]).toEqual([head - 4n, head]);
    expect(await events.read(account, { ...everything, after: 5n, until: 4n })).toMatchObject({ events: [], next: 5n });
    for (const number of [INT64_MIN, INT64_MAX])
      expect(await opened.records.events.find(account, number)).toBeUndefined();
    expect(await events.afterOfLast(account, INT64_MAX, 1)).toBe(head - 1n);
    expect(await events.afterOfLast(account, INT64_MIN, 1)).toBe(await events.oldest());
  });

  test("wakes who listens at a write, also by another process or node", async () => {
    const account = await opened.account();
    const other = await opened.another();
    let woken = 0n;
    const stop = opened.records.events.listen((until) => {
      woken = until;
    });
    for (const [at, writer] of [opened.records, other.records].entries()) {
      await writer.plants.create(account, { id: BigInt(at), name: "x", tag: undefined });
      const number = (await readFeed(opened, account)).next;
      await eventually("who listens is woken", () => woken >= number);
    }
    stop();
    await other.records.close();
  });

  test("forgets what is older than is kept, and refuses a cursor from before that", async () => {
    const account = await opened.account();
    const now = Date.now();
    await opened.records.plants.createMany(account, newPlants(3));
    await opened.records.plants.change(account, 0n, { name: "changed" }, always);
    while (await opened.records.events.expire(now, HOUR_MS));
    await opened.records.plants.create(account, { id: 99n, name: "later", tag: undefined });
    while (await opened.records.events.expire(now + 2 * HOUR_MS, HOUR_MS));
    await expect(readFeed(opened, account)).rejects.toMatchObject({ code: "cursor-expired" });
    const { events } = await readFeed(opened, account, { after: await opened.records.events.oldest() });
    expect(events.map(({ plant }) => plant.id)).toEqual([99n]);
  });

  test("forgets in time also after a clock that was ahead by a year was set back", async () => {
    const account = await opened.account();
    const now = Date.now() + 10 * HOUR_MS;
    while (await opened.records.events.expire(now + 365 * 24 * HOUR_MS, HOUR_MS));
    await opened.records.plants.create(account, { id: 1n, name: "x", tag: undefined });
    while (await opened.records.events.expire(now, HOUR_MS));
    await opened.records.plants.create(account, { id: 2n, name: "y", tag: undefined });
    while (await opened.records.events.expire(now + 2 * HOUR_MS, HOUR_MS));
    const { events } = await readFeed(opened, account, { after: await opened.records.events.oldest() });
    expect(events.map(({ plant }) => plant.id)).toEqual([2n]);
  });

  test("notes the last number once an hour, whichever node asks, and moves on to the newest that is old enough", async () => {
    const { db } = opened.storage;
    const node = await opened.another();
    const start = Date.now() + 1000 * HOUR_MS;
    const marks = async () =>
      (await db.selectFrom("number_marks").select("at").where("at", ">", 0).orderBy("at").execute()).map(
        ({ at }) => at,
      );
    await db.deleteFrom("number_marks").where("at", ">", 0).execute();
    for (const minutes of [0, 30, 59, 60, 61]) {
      await (minutes % 2 ? node : opened).records.events.expire(start + minutes * 60_000, 24 * HOUR_MS);
    }
    expect(await marks()).toEqual([start, start + HOUR_MS]);
    const [oldest, last] = [await opened.records.events.oldest(), 2n ** 53n + 1n];
    await db
      .insertInto("number_marks")
      .values({ at: start + 2 * HOUR_MS, number: last })
      .execute();
    await opened.records.events.expire(start + 4 * HOUR_MS, 2 * HOUR_MS);
    expect(await opened.records.events.oldest()).toBe(last);
    // A mark that is less than an earlier one moves nothing back.
    await opened.records.events.expire(start + 5 * HOUR_MS, 0);
    expect(await opened.records.events.oldest()).toBe(last);
    await db.updateTable("number_marks").set({ number: oldest }).where("at", "=", 0).execute();
    await node.records.close();
  });

  test("forgets events slice by slice, and says whether there are more; of a removed account all of them", async () => {
    const { db } = opened.storage;
    const withEvents = async (count: number) => {
      const account = await opened.accountWith(newPlants(count));
      await sql`INSERT INTO plant_events (number, account, kind, at, plant_id, name, created_at, updated_at)
        SELECT number, account, 0, 0, id, name, 0, 0 FROM plants WHERE account = ${account}`.execute(db);
      return account;
    };
    const rowsOf = async (account: number) =>
      (await db.selectFrom("plant_events").select("number").where("account", "=", account).execute()).length;
    const [old, other] = [await withEvents(700), await withEvents(1)];
    const { events } = opened.records;
    const head = await events.latest();
    await db
      .updateTable("number_marks")
      .set({ number: head - 1n })
      .where("at", "=", 0)
      .execute();
    let slices = 1;
    while (await events.expire(Date.now(), HOUR_MS)) slices++;
    expect(slices).toBeGreaterThan(1);
    expect([await rowsOf(old), await rowsOf(other)]).toEqual([0, 1]);
    const removed = await withEvents(600);
    await opened.records.stores.remove(removed, TEST_SOURCE);
    expect([await rowsOf(removed), await rowsOf(other)]).toEqual([0, 1]);
  });

  test("starts anew when it was turned off, and stays as it was when it is turned on again and again", async () => {
    const account = await opened.account();
    const { events, plants } = opened.records;
    const oldest = await events.oldest();
    await plants.create(account, { id: 0n, name: "w", tag: undefined });
    await events.turn(true);
    expect(await events.oldest()).toBe(oldest);
    for (let times = 0; times < 2; times++) await events.turn(false);
    await events.expire(Date.now(), 0);
    await expect(readFeed(opened, account)).rejects.toMatchObject({ code: "cursor-expired" });
    await plants.create(account, { id: 1n, name: "x", tag: undefined });
    await events.turn(true);
    await plants.create(account, { id: 2n, name: "y", tag: undefined });
    await events.turn(true);
    const found = (await readFeed(opened, account, { after: await events.oldest() })).events;
    expect(found.map(({ plant }) => plant.id)).toEqual([2n]);
  });
});

describeRecords("while the feed is off, on %s", (opened) => {
  test("changes and removals are made and write no event, and their plants' numbers continue", async () => {
    const { records } = await openStorage(opened.url, { keepsEvents: false });
    const account = await opened.accountWith([1n, 2n].map((id) => ({ id, name: "Fern", tag: undefined })));
    expect(await records.plants.change(account, 1n, { name: "changed" }, always)).toMatchObject({ revision: 2 });
    await records.plants.remove(account, 2n, always);
    expect(await opened.storage.db.selectFrom("plant_events").select("number").execute()).toEqual([]);
    await records.plants.create(account, { id: 3n, name: "Fern", tag: undefined });
    const numbers = await Promise.all(
      [1n, 3n].map(async (id) => (await records.plants.find(account, id))?.number ?? 0n),
    );
    expect(numbers[1]).toBeGreaterThan(numbers[0] ?? 0n);
    await records.close();
  });
});

test("the feed lags by as long as a transaction holds it back, from the first look on, and by nothing at other times", async () => {
  const url = await newPostgresDatabase();
  await (await openStorage(url)).records.close();
  const other = new pg.Client(url);
  await other.connect();
  await other.query("BEGIN; SELECT pg_current_xact_id()");
  let lag = (): number => Number.NaN;
  const gauge: Observer["gauge"] = (name, read) => {
    if (name === "plantstore_feed_lag_seconds") lag = read;
  };
  const { records } = await openStorage(url, { observer: { ...NO_OBSERVER, gauge } });
  expect(lag()).toBe(0);
  const begin = performance.now();
  const leave = records.events.listen(() => undefined);
  await eventually("the feed lags", () => lag() > 0.5);
  expect(lag()).toBeLessThanOrEqual((performance.now() - begin) / 1000);
  await other.query("ROLLBACK");
  await eventually("nothing is held back", () => lag() === 0);
  leave();
  expect(lag()).toBe(0);
  await other.end();
  await records.close();
});
