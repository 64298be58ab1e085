import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import type { CreateOutcome, NewPlant } from "#core/plant.ts";
import { openSqliteDatabase } from "#test/support/sqlite-database.ts";
import { CreateBurst } from "../create-burst.ts";
import { plantCreates } from "../write-queue.ts";
import { Committer } from "./committer.ts";
import { Indexer } from "./indexer.ts";
import { INDEX_SLICE_LENGTH, SearchIndex } from "./search-index.ts";

const ACCOUNT = 1;
const CHECK_SECONDS = 0.25;
const ALLOWED = { allows: () => {}, by: undefined, now: 0, bytesMax: 1000 };

let database: Database;
let committer: Committer;
let indexer: Indexer;
let nowMs: number;
let nextId: bigint;

beforeEach(async () => {
  database = await openSqliteDatabase();
  nowMs = 0;
  nextId = 1n;
  committer = new Committer(database, NO_OBSERVER, () => indexer.committed());
  const burst = new CreateBurst(
    () => committer.rowsQueued,
    () => nowMs,
  );
  indexer = new Indexer(database, database.filename, committer, NO_OBSERVER, burst);
});
afterEach(async () => {
  await committer.close();
  database.close();
});

/** Creates plants, as many as came at this rate since the last run, and runs the indexer. Returns its delay. */
async function runAfter(seconds: number, rowsPerSecond: number) {
  nowMs += seconds * 1000;
  if (rowsPerSecond > 0) await create(seconds * rowsPerSecond);
  return indexer.job.run({ now: 0, signal: new AbortController().signal });
}

function create(count: number): Promise<CreateOutcome[]> {
  const plants = Array.from({ length: count }, (): NewPlant => {
    const id = nextId++;
    return { id, name: `Ficus ${id * 7919n}`, tag: undefined };
  });
  return plantCreates(committer).createMany(ACCOUNT, plants);
}

/** The changes for which the index waits. */
function pending(): number {
  const counted = database.query<{ count: number }, []>("SELECT count(*) AS count FROM plant_search_changes").get();
  return counted?.count ?? 0;
}

function indexed(): number {
  return new SearchIndex(database).mark();
}

test("the index stands still while a burst of creates goes on, and follows as soon as it is over", async () => {
  for (let at = 0; at < 8; at++) await runAfter(CHECK_SECONDS, 20_000);
  expect(indexed()).toBe(0);
  await runAfter(CHECK_SECONDS, 0);
  // A step that is shorter than its least time takes another slice.
  expect(indexed()).toBeGreaterThanOrEqual(INDEX_SLICE_LENGTH);
});

test("while others write, a slice comes after 128 of their rows, and after a tenth of a second at the latest", async () => {
  await create(10_000);
  await runAfter(20, 0);
  const { now } = performance;
  let idleMs = 0;
  using _ = spyOn(performance, "now").mockImplementation(() => now.call(performance) + idleMs);
  // An idle process would otherwise index again after a few milliseconds.
  idleMs += 150;
  expect(await runAfter(CHECK_SECONDS, 1600)).toBeGreaterThan(79);
  idleMs += 150;
  expect(await runAfter(CHECK_SECONDS, 16)).toBeGreaterThan(99);
});

test("a merge of large segments holds no slice up for more than 16 of its steps", async () => {
  // The segments of eight slices are merged into one, and eight of those again.
  const slices = 65;
  await create(slices * INDEX_SLICE_LENGTH);
  await runAfter(20, 0);
  let runsMax = 0;
  for (let mark = indexed(); mark < slices * INDEX_SLICE_LENGTH; mark = indexed()) {
    let runs = 0;
    for (; indexed() === mark; runs++) await runAfter(CHECK_SECONDS, 0);
    runsMax = Math.max(runsMax, runs);
  }
  expect(runsMax).toBeLessThanOrEqual(17);
});

test("an index that is far behind catches up within ten seconds of creates and as many changes, each with a segment to be merged", async () => {
  await create(2000);
  await runAfter(20, 0);
  while (indexed() < 1500) await runAfter(CHECK_SECONDS, 0);
  await create(19_000);
  await runAfter(20, 0);
  let changes = 0;
  for (let seconds = 0; seconds < 10; ) {
    const delayMs = Number(await runAfter(0, 0));
    nowMs += delayMs;
    seconds += delayMs / 1000;
    const count = Math.ceil(0.8 * delayMs);
    await create(count);
    for (let at = 0; at < count; at++) {
      const id = BigInt(1 + (changes++ % 1500));
      await committer.run((plants) => plants.change(ACCOUNT, id, { name: `Rosa ${changes * 104_729}` }, ALLOWED));
    }
  }
  expect(Number(nextId) - 1 - indexed()).toBeLessThan(10_000);
});

test("a change reaches the index within half a minute, however many others write", async () => {
  await create(600);
  await runAfter(20, 0);
  await committer.run((plants) => plants.change(ACCOUNT, 1n, { name: "Moss" }, ALLOWED));
  const { now } = performance;
  let idleMs = 0;
  using _ = spyOn(performance, "now").mockImplementation(() => now.call(performance) + idleMs);
  for (let seconds = 0; seconds < 29; seconds += 4) {
    await runAfter(CHECK_SECONDS, 40);
    expect(pending()).toBe(1);
    idleMs += 4000;
  }
  await runAfter(CHECK_SECONDS, 40);
  expect(pending()).toBe(0);
});

test("what one transaction has changed of many plants is followed while others write", async () => {
  await create(10_000);
  await runAfter(20, 0);
  while (indexed() < 9000) await runAfter(20, 0);
  const updates = Array.from({ length: 200 }, (_, at) => ({ id: BigInt(at + 1), name: "Moss", tag: undefined }));
  await committer.run((plants, now) => plants.updateMany(ACCOUNT, updates, { by: undefined, now, bytesMax: 100_000 }));
  expect(pending()).toBe(200);
  for (let runs = 0; runs < 50 && pending() !== 0; runs++) await runAfter(CHECK_SECONDS, 40);
  expect(pending()).toBe(0);
});
