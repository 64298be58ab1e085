import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import pg from "pg";
import { NO_OBSERVER } from "#core/observer.ts";
import type { CreateOutcome } from "#core/plant.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { readFeed } from "#test/support/feed.ts";
import { always, newPlant, newPlants } from "#test/support/plant-lists.ts";
import { openStorage } from "../open.ts";
import type { Storage } from "../storage.ts";
import { plantCreates } from "../write-queue.ts";
import { Committer } from "./committer.ts";
import { Pool, type TimedQuery } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";

let url: string;
let nodes: Storage[];
let other: pg.Client;

beforeAll(async () => {
  url = await newPostgresDatabase();
  // A deadlock is looked for this long after a wait began, and not again.
  const quick = `${url}?options=-cdeadlock_timeout=50ms`;
  nodes = await Promise.all([openStorage(quick), openStorage(quick), openStorage(quick)]);
  other = new pg.Client(url);
  await other.connect();
  await other.query(
    "INSERT INTO stores (number, id, name, created_at) SELECT number, number, '', 0 FROM generate_series(1, 1100) AS number",
  );
});

afterAll(async () => {
  await other.end();
  await Promise.all(nodes.map(({ records }) => records.close()));
});

function node(at: number) {
  const found = nodes[at % nodes.length];
  if (!found) throw new Error("There is no such node");
  return found.records.plants;
}

/** More text than several large writes may have in one batch. */
const LARGE = "é".repeat(300_000);

test("of a plant that is created while one of its id is removed, the created event comes after the removal, by either statement", async () => {
  await other.query(`
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_advisory_xact_lock(77);
      RETURN NEW;
    END $$`);
  await other.query(`
    CREATE TRIGGER wait_for_test BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.id = 0 AND NEW.name = 'again')
    EXECUTE FUNCTION wait_for_test()`);
  const again = newPlants(6).map(({ id }) => newPlant(id, "again"));
  const creator = await openStorage(url);
  const { plants } = creator.records;
  // The first batch is expected to be new, and the second is not, after a create that was repeated.
  for (const account of [28, 29]) {
    await node(1).createMany(account, newPlants(4));
    if (account === 29) expect(await plants.create(account, newPlant(1))).toBe("unchanged");
    for (const id of [0n, 1n]) await node(1).remove(account, id, always);
    await other.query("SELECT pg_advisory_lock(77)");
    // The batch has its numbers and waits before its first plant. Only then are the others of its ids removed.
    const creating = plants.createMany(account, again);
    await eventually("the batch waits", async () => (await waitingForLocks()) === 1);
    for (const id of [2n, 3n]) await node(1).remove(account, id, always);
    await other.query("SELECT pg_advisory_unlock(77)");
    expect(await creating).toEqual(again.map(() => "created"));
    const { events } = await readFeed(creator, account);
    for (const id of [0n, 1n, 2n, 3n]) {
      const told = events.filter(({ plant }) => plant.id === id);
      expect(told.map(({ type }) => type)).toEqual(["plant.created", "plant.removed", "plant.created"]);
      expect(told.toSorted((a, b) => a.at - b.at)).toEqual(told);
    }
    expect(events).toHaveLength(14);
    expect(await node(0).count(account)).toBe(6);
  }
  await other.query("DROP TRIGGER wait_for_test ON plants");
  await creator.records.close();
});

test("any text and any id are kept exactly, character by character", async () => {
  const text = fc
    .array(
      fc.oneof(fc.constantFrom("NULL", "{", "}", '"', "\\", ",", "'", "\n", "", "🌵"), fc.string({ unit: "binary" })),
    )
    .map((parts) => parts.join("").replaceAll("\0", ""));
  const given = fc.record({
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    name: text,
    tag: fc.option(text, { nil: undefined }),
  });
  let account = 1000;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(given, { selector: ({ id }) => id, minLength: 1, maxLength: 20 }),
      async (plants) => {
        account++;
        const outcomes = await Promise.all(plants.map((each, at) => node(at).create(account, each)));
        expect(new Set(outcomes)).toEqual(new Set(["created"]));
        for (const each of plants) expect(await node(0).find(account, each.id)).toMatchObject({ ...each });
        expect(await node(1).count(account)).toBe(plants.length);
      },
    ),
    { numRuns: 40 },
  );
});

test("nodes that write the same plants in opposite orders never deadlock, and each plant is created once", async () => {
  const plants = newPlants(300);
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, at) => node(at).createMany(1, at % 2 ? plants : plants.toReversed())),
  );
  expect(outcomes.flat().filter((outcome) => outcome === "created")).toHaveLength(300);
  expect(outcomes.flat().filter((outcome) => outcome === "unchanged")).toHaveLength(11 * 300);
  expect(await node(0).count(1)).toBe(300);
});

test("creates of several turns of the event loop are one batch while more arrive, and a lone one does not wait for others", async () => {
  expect(await batchesOf(8, 18, 6)).toEqual([1, 18]);
});

test("a batch of many rows does not wait for more, so that the database works while further creates arrive", async () => {
  const batches = await batchesOf(9, 320, 80);
  expect(batches.slice(0, 2)).toEqual([1, 160]);
  expect(batches.reduce((sum, rows) => sum + rows)).toBe(321);
});

/** The rows of each batch, if `eachTurn` creates arrive in each turn of the event loop, after a lone one. */
async function batchesOf(account: number, creates: number, eachTurn: number): Promise<number[]> {
  const { committer, batches, end } = watched();
  await plantCreates(committer).create(account, newPlant(0));
  const creating: Promise<unknown>[] = [];
  for (let id = 1; id <= creates; ) {
    for (let arrived = 0; arrived < eachTurn; arrived++)
      creating.push(plantCreates(committer).create(account, newPlant(id++)));
    await new Promise(setImmediate);
  }
  await Promise.all(creating);
  await end();
  return batches;
}

test("a batch that waits for a plant has not locked its account's count, so that no two batches wait for each other", async () => {
  const { committer, end } = watched();
  await plantCreates(committer).create(17, newPlant(1));
  await other.query("BEGIN; INSERT INTO plants VALUES (-4, 17, 2, 'theirs', NULL, 1, 0, 0)");
  const creating = plantCreates(committer).create(17, newPlant(2));
  await eventually("the batch waits for the plant", async () => (await waitingForLocks()) === 1);
  const count = "SELECT count FROM plant_counts WHERE account = 17 FOR UPDATE NOWAIT";
  expect((await other.query(count)).rows).toEqual([{ count: "1" }]);
  await other.query("ROLLBACK");
  expect(await creating).toBe("created");
  await end();
});

test("small creates are answered while large ones of another account wait for the database", async () => {
  await other.query("BEGIN; INSERT INTO plants VALUES (-3, 12, 1, 'theirs', NULL, 1, 0, 0)");
  const large = [1, 2, 3, 4].map((id) => node(0).create(12, newPlant(id, LARGE)));
  expect(await node(0).create(13, newPlant(1))).toBe("created");
  expect(await Promise.all([2, 3].map((id) => node(0).create(13, newPlant(id))))).toEqual(["created", "created"]);
  await other.query("ROLLBACK");
  expect(new Set(await Promise.all(large))).toEqual(new Set(["created"]));
});

test("large creates of several accounts are written in turn, and those that fit together in one batch", async () => {
  const { committer, batches, end } = watched({ sizeMax: 3 });
  const answered: string[] = [];
  const create = async (account: number, id: number, name: string) => {
    await plantCreates(committer).create(account, newPlant(id, name));
    answered.push(`${account}: ${id}`);
  };
  const creating = [1, 2, 3, 4].map((id) => create(14, id, LARGE));
  creating.push(...[5, 6].map((id) => create(14, id, LARGE.slice(0, 5000))));
  creating.push(create(15, 1, LARGE));
  await Promise.all(creating);
  await end();
  expect(answered).toEqual(["14: 1", "14: 2", "15: 1", "14: 3", "14: 4", "14: 5", "14: 6"]);
  expect(batches).toEqual([1, 1, 1, 1, 1, 2]);
});

test("a deadlock with another program is not answered: the batch is written again", async () => {
  const third = new pg.Client(url);
  await third.connect();
  await third.query("BEGIN; INSERT INTO plants VALUES (-1, 2, 20, 'theirs', NULL, 1, 0, 0)");
  // The other program never finds the deadlock itself, so it is the batch that is undone.
  await other.query("BEGIN; SET LOCAL deadlock_timeout = '1h'");
  await other.query("INSERT INTO plants VALUES (-2, 2, 30, 'theirs', NULL, 1, 0, 0)");
  const writing = node(0).createMany(2, [newPlant(10), newPlant(20), newPlant(30)]);
  await eventually("the batch waits for the third program", async () => (await waitingForLocks(third)) === 1);
  const theirs = other.query("INSERT INTO plants VALUES (-3, 2, 10, 'theirs', NULL, 1, 0, 0)");
  await eventually("the other program waits for the batch", async () => (await waitingForLocks(third)) === 2);
  // Only now does the batch come to wait for the other program.
  await third.end();
  await theirs;
  await other.query("ROLLBACK");
  expect(await writing).toEqual(["created", "created", "created"]);
});

async function waitingForLocks(client = other): Promise<number> {
  // A transaction sees the activity as it was at its first look.
  await client.query("SELECT pg_stat_clear_snapshot()");
  const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return (await client.query(waiting)).rows.length;
}

test("within a batch the first of an id is created, and every later one is compared with it", async () => {
  const outcomes = await Promise.all([
    node(0).create(3, newPlant(1, "Ficus", "a")),
    node(0).create(3, newPlant(1, "Ficus", "a")),
    node(0).create(3, newPlant(1, "Ficus")),
    node(0).create(4, newPlant(1, "Ficus")),
    node(0).createMany(3, [newPlant(2, "x"), newPlant(2, "x"), newPlant(2, "y")]),
  ]);
  expect(outcomes).toEqual(["created", "unchanged", "taken", "created", ["created", "unchanged", "taken"]]);
});

/**
 * A committer whose statements can be looked at before they are sent, and the rows of its batches. Its clock stands still
 * and its statements take as long as they need, so that nothing is late on a busy machine.
 */
function watched({
  before = (_: TimedQuery): unknown => undefined,
  connecting = (): unknown => undefined,
  sizeMax = 1,
} = {}) {
  let now = 0;
  const clock = spyOn(performance, "now").mockImplementation(() => now);
  const pool = new Pool(url, { sizeMax, ...COMMAND_WAITS, queryMsMax: 0 });
  const connect = pool.connect.bind(pool);
  spyOn(pool, "connect").mockImplementation(async () => {
    const client = await connect();
    await connecting();
    return {
      async query(query, values) {
        const { query_timeout, ...unlimited } = typeof query === "string" ? { text: query } : query;
        await before({ ...unlimited, query_timeout });
        return client.query(unlimited, values);
      },
      release: () => client.release(),
    };
  });
  const batches: number[] = [];
  const committer = new Committer(pool, { ...NO_OBSERVER, batchCommitted: ({ rows }) => void batches.push(rows) });
  return {
    committer,
    batches,
    pass(ms: number) {
      now += ms;
    },
    async end() {
      await committer.close();
      await pool.end();
      clock.mockRestore();
    },
  };
}

test("a plant that was removed before it could be compared is created, and what was created beside it counts as that", async () => {
  await node(0).createMany(10, [newPlant(2, "removed"), newPlant(4, "kept")]);
  const { committer, end } = watched({
    async before({ text = "" }) {
      if (text.includes("read back"))
        await node(1)
          .remove(10, 2n, () => {})
          .catch(() => {});
    },
  });
  const given = [newPlant(1), newPlant(2), newPlant(3), newPlant(4), newPlant(2), newPlant(1)];
  const expected = ["created", "created", "created", "taken", "unchanged", "unchanged"];
  expect(await plantCreates(committer).createMany(10, given)).toEqual(expected as CreateOutcome[]);
  expect(await node(0).count(10)).toBe(4);
  await end();
});

test("what a person creates is entered as theirs, also where a plant was removed before it could be compared", async () => {
  await node(0).create(1050, newPlant(2, "removed"));
  const { committer, end } = watched({
    async before({ text = "" }) {
      if (text.includes("read back")) await node(1).remove(1050, 2n, () => {});
    },
  });
  const by = { kind: "person", id: "7Xb2", name: "Ada" } as const;
  const creating = plantCreates(committer).createMany(1050, [newPlant(1), newPlant(2)], undefined, by);
  expect(await creating).toEqual(["created", "created"]);
  const { rows } = await other.query("SELECT actor FROM plant_event_actors WHERE account = 1050 ORDER BY number");
  expect(rows).toEqual([{ actor: "person:7Xb2 Ada" }, { actor: "person:7Xb2 Ada" }]);
  await end();
});

test("a create that was settled is not made again where the rest of its batch fails, though it was removed meanwhile", async () => {
  await node(0).createMany(18, [newPlant(2, "removed"), newPlant(3, "removed")]);
  let attempts = 0;
  const { committer, end } = watched({
    async before({ name, text = "" }) {
      if (text.includes("read back")) for (const id of [2n, 3n]) await node(1).remove(18, id, () => {});
      if (name === undefined || ++attempts !== 3) return;
      await node(1).remove(18, 1n, () => {});
      throw databaseError("22000");
    },
  });
  const creating = [1, 2, 3].map((id) => plantCreates(committer).create(18, newPlant(id)));
  expect(await Promise.all(creating)).toEqual(["created", "created", "created"]);
  expect([await node(0).find(18, 1n), await node(0).count(18)]).toEqual([undefined, 2]);
  await end();
});

test("where what was taken cannot be read, what was created is told, and the others alone are refused", async () => {
  await node(0).create(19, newPlant(2, "there"));
  const { committer, end } = watched({
    before({ text = "" }) {
      if (text.includes("read back")) throw databaseError("53200");
    },
  });
  const creating = [plantCreates(committer).create(19, newPlant(1)), plantCreates(committer).create(19, newPlant(2))];
  expect(await Promise.allSettled(creating)).toMatchObject([
    { status: "fulfilled", value: "created" },
    { status: "rejected", reason: { code: "unavailable", message: expect.stringContaining("nothing of it was kept") } },
  ]);
  await end();
});

function databaseError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError("no", 0, "error"), { code });
}

test("creates are expected to be new until one is not, and again when none was taken for ten seconds", async () => {
  let statements: (string | undefined)[] = [];
  const { committer, pass, end } = watched({ before: ({ name }) => void statements.push(name) });
  const sent = async (id: number, outcome: CreateOutcome) => {
    statements = [];
    expect(await plantCreates(committer).create(16, newPlant(id))).toBe(outcome);
    return statements.filter(Boolean);
  };
  expect(await sent(1, "created")).toEqual(["create a new plant"]);
  expect(await sent(1, "unchanged")).toEqual(["create a new plant", "create plants", "read back"]);
  expect(await sent(1, "unchanged")).toEqual(["create plants", "read back"]);
  expect(await sent(2, "created")).toEqual(["create plants"]);
  pass(10_000);
  expect(await sent(3, "created")).toEqual(["create a new plant"]);
  expect(await node(0).count(16)).toBe(3);
  await end();
});

test("the time that a batch waits for its connection is part of the two seconds that it has", async () => {
  const limits: (number | undefined)[] = [];
  const { committer, pass, end } = watched({
    before: ({ query_timeout }) => void limits.push(query_timeout),
    connecting: () => pass(1500),
  });
  expect(await plantCreates(committer).createMany(11, [newPlant(1), newPlant(1, "other")])).toEqual([
    "created",
    "taken",
  ]);
  expect(await plantCreates(committer).create(11, newPlant(1, "other"))).toBe("taken");
  expect(limits).toEqual([500, 500, 500, 500]);
  await end();
});
