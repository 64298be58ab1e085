import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import { eventually } from "#test/support/eventually.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { Thread } from "#threads/thread.ts";
import { openStorage } from "../open.ts";
import type { CheckpointFunctions } from "./checkpoint-worker.ts";
import { Checkpointer } from "./checkpointer.ts";
import { openForWriting } from "./connection.ts";

const MIB = 1024 * 1024;
const run = { now: 0, signal: new AbortController().signal };

let path: string;
let database: Database;
let ended: boolean[];
let failures: string[];
const observer = {
  ...NO_OBSERVER,
  observe(name: string) {
    if (name === "plantstore_checkpoint_seconds") ended.push(true);
  },
  failed(part: string, error: unknown) {
    failures.push(`${part}: ${error}`);
    ended[ended.length - 1] = false;
  },
};

beforeEach(() => {
  path = join(temporaryFolder(), "plantstore.db");
  database = openForWriting(path);
  database.run("CREATE TABLE filler (text)");
  ended = [];
  failures = [];
});
afterEach(() => database.close());

function fillLog(mib: number): void {
  database.run("INSERT INTO filler VALUES (zeroblob(?))", [mib * MIB]);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(mib * MIB);
}

/** After so many commits a log of a few MiB is due. */
function commit(checkpointer: Checkpointer): void {
  for (let commits = 0; commits < 256; commits++) checkpointer.committed();
}

/** Pages of the log that are not in the database file yet. */
function uncopied(): number {
  const { log, checkpointed } = database.query("PRAGMA wal_checkpoint(NOOP)").get() as Record<string, number>;
  return (log ?? 0) - (checkpointed ?? 0);
}

test("a log that others filled is copied, though this process commits nothing", async () => {
  const checkpointer = new Checkpointer(database, path, observer);
  fillLog(66);
  await checkpointer.job.run(run);
  await eventually("the log is copied", () => ended.length > 0);
  expect([ended, uncopied()]).toEqual([[true], 0]);
  checkpointer.close();
});

test("writes that create no plant shorten the log as well", async () => {
  const { db, records } = await openStorage(`sqlite:${path}`, { observer });
  for (let at = 0; at < 256; at++) {
    await db
      .insertInto("kept_secrets")
      .values({ name: String(at), value: "x".repeat(20_000) })
      .execute();
  }
  await eventually("a checkpoint ended", () => ended.length > 0);
  expect(ended[0]).toBe(true);
  await records.close();
});

test("most of what is written while the thread copies is copied by the thread too", async () => {
  const start = () => new Worker(new URL("./checkpoint-worker.ts", import.meta.url));
  const thread = new Thread<CheckpointFunctions>({ start, onFailed() {} });
  fillLog(1);
  await thread.call("checkpoint", path);
  fillLog(128);
  let copies = true;
  const copied = thread.call("checkpoint", path).finally(() => {
    copies = false;
  });
  let pages = 0;
  for (; copies; pages++) {
    database.run("INSERT INTO filler VALUES (1)");
    await new Promise(setImmediate);
  }
  await copied;
  expect(uncopied() / pages).toBeLessThan(0.5);
  thread.close();
});

test("a worker that cannot start is reported each time, and from the fourth checkpoint on the serving thread does without", async () => {
  let starts = 0;
  const checkpointer = new Checkpointer(database, path, observer, () => {
    starts++;
    throw new Error("no such worker");
  });
  fillLog(5);
  for (let at = 0; at < 3; at++) {
    commit(checkpointer);
    await eventually("the checkpoint failed", () => ended.length > at);
  }
  expect([starts, ended]).toEqual([3, [false, false, false]]);
  expect(failures).toEqual(Array(3).fill("checkpoint: Error: no such worker"));
  expect(uncopied()).toBeGreaterThan(0);
  commit(checkpointer);
  expect([starts, ended.at(-1), uncopied()]).toEqual([3, true, 0]);
  checkpointer.close();
});

test("a worker that ends without an error is a checkpoint that failed, and the next one starts another", async () => {
  const ending = URL.createObjectURL(new Blob(["process.exit()"]));
  const start = () => new Worker(ended.length === 0 ? ending : new URL("./checkpoint-worker.ts", import.meta.url));
  const checkpointer = new Checkpointer(database, path, observer, start);
  fillLog(5);
  commit(checkpointer);
  await eventually("the checkpoint failed", () => ended.length > 0);
  expect([ended, failures]).toEqual([[false], ["checkpoint: Error: A thread of the service failed: it has ended"]]);
  commit(checkpointer);
  await eventually("the next one succeeded", () => ended.length > 1);
  expect([ended[1], uncopied()]).toEqual([true, 0]);
  checkpointer.close();
});
