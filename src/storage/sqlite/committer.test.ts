import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { Failure } from "#core/failure.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import type { AccountNumber, CreateOutcome, NewPlant } from "#core/plant.ts";
import { eventually } from "#test/support/eventually.ts";
import { always, newPlant } from "#test/support/plant-lists.ts";
import { openSqliteDatabase } from "#test/support/sqlite-database.ts";
import { plantCreates } from "../write-queue.ts";
import { Committer } from "./committer.ts";
import { sqlitePlants } from "./plants.ts";

let database: Database;
let commits: number;
/** How often the lock of another process was found. */
let retries: number;
let committer: Committer;
/** Another process's view of the same file. */
let other: Database;

beforeEach(async () => {
  database = await openSqliteDatabase();
  commits = 0;
  retries = 0;
  const observer = { ...NO_OBSERVER, count: () => void retries++ };
  committer = new Committer(database, observer, () => {
    commits++;
  });
  other = new Database(database.filename);
});
afterEach(async () => {
  await committer.close();
  other.close();
  database.close();
});

function create(account: AccountNumber, plant: NewPlant): Promise<CreateOutcome> {
  return plantCreates(committer).create(account, plant);
}

/** The only column of the rows that another process reads. */
function column(sql: string, ...values: number[]): number[] {
  return other
    .query(sql)
    .values(...values)
    .flat() as number[];
}

const seenByOthers = (account: number) => column("SELECT count(*) FROM plants WHERE account = ?", account)[0] ?? 0;
const keptCount = (account: number) =>
  column("SELECT coalesce(sum(count), 0) FROM plant_counts WHERE account = ?", account)[0] ?? 0;
const numbers = () => column("SELECT number FROM plants ORDER BY number");
const lastNumber = () => column("SELECT value FROM counters WHERE name = 'plant_number'")[0] ?? 0;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "no failure",
    (error: unknown) => (error instanceof Failure ? error.code : error),
  );
}

test("a create is answered only after its batch is on disk, and many share one transaction", async () => {
  const answered = Array.from({ length: 500 }, async (_, id) => {
    expect(await create(1, newPlant(id))).toBe("created");
    expect(seenByOthers(1)).toBe(500);
  });
  expect(seenByOthers(1)).toBe(0);
  await Promise.all(answered);
  expect(commits).toBe(1);
});

test("large writes take turns by account, one at a time, and small ones pass between them", async () => {
  const order: string[] = [];
  const large = (account: AccountNumber, id: number) =>
    create(account, newPlant(id, "n".repeat(100_000))).then(() => order.push(`large ${account}`));
  const change = (account: AccountNumber) =>
    committer.run(() => undefined, undefined, { account, size: 100_000 }).then(() => order.push(`change ${account}`));
  const written = [large(1, 1), large(1, 2), change(1), change(2), large(3, 1)];
  const small = create(3, newPlant(2)).then(() => order.push("small"));
  await Promise.all([...written, small]);
  expect(order).toEqual(["large 1", "small", "change 2", "large 3", "large 1", "change 1"]);
  expect(commits).toBe(6);
});

test("a plant with a long name is changed or removed by itself, with what it is by then, and short ones do not wait for it", async () => {
  const plants = sqlitePlants(database, committer, true);
  const long = "n".repeat(100_000);
  for (const [id, name] of ["short", long, long, long].entries()) await create(1, newPlant(id, name));
  commits = 0;
  const order: string[] = [];
  const change = (id: bigint, tag: string) =>
    plants.change(1, id, { tag }, always).then(({ revision }) => order.push(`${tag} ${revision}`));
  const remove = (id: bigint) => plants.remove(1, id, always).then(() => order.push("removed"));
  await Promise.all([change(1n, "a"), change(1n, "b"), remove(3n), change(2n, "c"), change(0n, "d")]);
  expect(order).toEqual(["d 2", "a 2", "b 3", "removed", "c 2"]);
  expect(commits).toBe(5);
  expect(await failureOf(plants.change(1, 3n, { tag: "e" }, always))).toBe("plant-unknown");
});

test("a long tag, kept or given, is weighed as a long name is", async () => {
  const plants = sqlitePlants(database, committer, true);
  const long = "t".repeat(100_000);
  for (const [id, tag] of [long, long, "short", "short"].entries()) await create(1, newPlant(id, "name", tag));
  commits = 0;
  const changes = [0n, 1n].map((id) => plants.change(1, id, { name: "other" }, always));
  await Promise.all([...changes, ...[2n, 3n].map((id) => plants.change(1, id, { tag: long }, always))]);
  // One of those that are found to be long, and four large ones.
  expect(commits).toBe(5);
});

test("the same plant again is unchanged, another one of its id is taken, and neither is written", async () => {
  const outcomes = [newPlant(5), newPlant(5), newPlant(5, "Aloe"), newPlant(5, "plant 5", ""), newPlant(6)].map(
    (each) => create(1, each),
  );
  expect(await Promise.all(outcomes)).toEqual(["created", "unchanged", "taken", "taken", "created"]);
  expect(await create(2, newPlant(5, "Aloe"))).toBe("created");
  expect(numbers()).toHaveLength(3);
  expect(other.query("SELECT name, tag FROM plants WHERE account = 1 AND id = 5").get()).toEqual({
    name: "plant 5",
    tag: null,
  });
});

test("a unit that fails is undone whole, its caller alone is told why, and its neighbours stay", async () => {
  const before = create(1, newPlant(1));
  const failing = committer.run((plants, now) => {
    plants.create(
      [1, 2].map((account) => ({ account, plants: [newPlant(account + 1)] })),
      now,
    );
    throw new Failure("precondition-failed", "no");
  });
  const broken = committer.run(() => database.run("INSERT INTO plants (number) VALUES (NULL)"));
  const after = create(1, newPlant(4));
  expect(await failureOf(failing)).toBe("precondition-failed");
  expect(await failureOf(broken)).toMatchObject({ code: "SQLITE_CONSTRAINT_NOTNULL" });
  expect(await Promise.all([before, after])).toEqual(["created", "created"]);
  expect(commits).toBe(1);
  expect([seenByOthers(1), keptCount(1), seenByOthers(2), keptCount(2)]).toEqual([2, 2, 0, 0]);
  expect(numbers()).toEqual([1, 2]);
  expect(lastNumber()).toBe(2);
});

test("a create that the database refuses is refused alone", async () => {
  database.run(
    "CREATE TRIGGER picky BEFORE INSERT ON plants WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  const outcomes = Array.from({ length: 100 }, (_, id) => create(1, newPlant(id, id === 70 ? "bad" : "good")));
  const settled = await Promise.allSettled(outcomes);
  expect(settled.flatMap(({ status }, id) => (status === "rejected" ? [id] : []))).toEqual([70]);
  expect([seenByOthers(1), keptCount(1), lastNumber()]).toEqual([99, 99, 99]);
  await Promise.all([create(2, newPlant(1)), create(2, newPlant(2))]);
  expect(commits).toBe(100);
});

test("counts and insertion numbers stay right, whatever is written and fails in whatever batches", async () => {
  const step = fc.record({
    account: fc.integer({ min: 1, max: 3 }),
    ids: fc.array(fc.nat(30), { maxLength: 5 }),
    name: fc.constantFrom("a", "b"),
    fails: fc.boolean(),
    unit: fc.boolean(),
    waits: fc.boolean(),
  });
  const highest = { number: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const pending: Promise<unknown>[] = [];
      for (const { account, ids, name, fails, unit, waits } of steps) {
        const made = unit
          ? committer.run((plants, now) => {
              plants.create([{ account, plants: ids.map((id) => newPlant(id, name)) }], now);
              if (fails) throw new Failure("precondition-failed", "no");
            })
          : Promise.all(ids.map((id) => create(account, newPlant(id, name))));
        pending.push(failureOf(made));
        if (waits) await Promise.all(pending);
      }
      await Promise.all(pending);
      for (const account of [1, 2, 3]) expect(keptCount(account)).toBe(seenByOthers(account));
      expect(new Set(numbers()).size).toBe(numbers().length);
      expect(lastNumber()).toBe(numbers().at(-1) ?? 0);
      expect(lastNumber()).toBeGreaterThanOrEqual(highest.number);
      highest.number = lastNumber();
    }),
    { numRuns: 50 },
  );
});

test("while another process holds the write lock creates wait without blocking, and are made when it lets go", async () => {
  other.run("BEGIN IMMEDIATE");
  using _ = spyOn(performance, "now").mockReturnValue(5000);
  let answered = 0;
  const creates = Array.from({ length: 20 }, (_, id) => create(1, newPlant(id)).finally(() => answered++));
  await eventually("the lock is tried several times", () => retries > 5);
  expect(answered).toBe(0);
  other.run("ROLLBACK");
  expect(new Set(await Promise.all(creates))).toEqual(new Set(["created"]));
  expect(seenByOthers(1)).toBe(20);
});

test("who has waited two seconds for the lock is refused as unavailable, and nothing of it is kept", async () => {
  other.run("BEGIN IMMEDIATE");
  let now = 5000;
  using _ = spyOn(performance, "now").mockImplementation(() => now);
  let isRefused = false;
  const early = failureOf(create(1, newPlant(1))).finally(() => {
    isRefused = true;
  });
  now += 1000;
  const late = create(1, newPlant(2));
  now += 999;
  const before = retries;
  await eventually("the lock is tried again", () => retries >= before + 3);
  expect(isRefused).toBe(false);
  now++;
  expect(await early).toBe("unavailable");
  other.run("ROLLBACK");
  expect(await late).toBe("created");
  expect(seenByOthers(1)).toBe(1);
});

test("a full database refuses its batch as unavailable, keeps nothing of it, and goes on when there is room", async () => {
  expect(await create(1, newPlant(1))).toBe("created");
  const { page_count: pages } = database.query("PRAGMA page_count").get() as { page_count: number };
  database.run(`PRAGMA max_page_count = ${pages}`);
  const batch = Array.from({ length: 100 }, (_, id) => failureOf(create(1, newPlant(id + 2, "n".repeat(4000)))));
  expect(new Set(await Promise.all(batch))).toEqual(new Set(["unavailable"]));
  expect([seenByOthers(1), keptCount(1), lastNumber()]).toEqual([1, 1, 1]);
  database.run("PRAGMA max_page_count = 4294967294");
  expect(await create(1, newPlant(2))).toBe("created");
  expect(numbers()).toEqual([1, 2]);
});

test("closing waits for what was accepted and takes nothing more", async () => {
  const accepted = Array.from({ length: 2000 }, (_, id) => create(1, newPlant(id)));
  const closed = committer.close();
  expect(await failureOf(create(1, newPlant(9999)))).toBe("unavailable");
  await closed;
  expect(seenByOthers(1)).toBe(2000);
  expect(new Set(await Promise.all(accepted))).toEqual(new Set(["created"]));
});
