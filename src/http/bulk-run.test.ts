import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { BULK_READERS, BulkRecords } from "#contract/v1/bulk-records.ts";
import { BulkReport } from "#contract/v1/bulk-report.ts";
import { readNewPlant } from "#contract/v1/new-plant.ts";
import { Failure, unavailable } from "#core/failure.ts";
import type { CreateOutcome, NewPlant } from "#core/plant.ts";
import { MemoryCounts } from "#load/throttle.ts";
import { createEach } from "./bulk-acts.ts";
import { type BulkParts, runInBulk } from "./bulk-run.ts";
import { newGuards } from "./guards.ts";

const guards = newGuards(undefined, new MemoryCounts());

let writes: NewPlant[][];
let report: BulkReport;
/** The answer of the store to the write of that number. */
let answer: (plants: readonly NewPlant[], number: number) => CreateOutcome[];
/** The store waits for it in each write. */
let disk: () => Promise<void>;
let watch: { reason: string | undefined; requireGoingOn(): void };
let rate: BulkParts<NewPlant>["rate"];
/** It stands still: a window is written as it is once a second has passed, which it does not in these tests. */
let clock: Disposable;
afterEach(() => clock[Symbol.dispose]());

beforeEach(() => {
  clock = spyOn(performance, "now").mockReturnValue(0);
  writes = [];
  report = new BulkReport(20, []);
  answer = (plants) => plants.map(() => "created");
  disk = async () => {};
  watch = { reason: undefined, requireGoingOn() {} };
  rate = undefined;
});

const line = (id: number | string, name = "Fern") => `${JSON.stringify({ id, name })}\n`;

const LONG = 1000;

async function* sent(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

function create(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const plants: Parameters<typeof createEach>[0]["plants"] = {
    async createMany(_account, plants) {
      const outcomes = answer(plants, writes.length);
      writes.push([...plants]);
      await disk();
      return outcomes;
    },
    findMany: async () => [],
  };
  const caller = {
    account: 1,
    person: undefined,
    displayName: "Shop",
    actor: { kind: "token", id: "tok_1", name: "Shop" },
  } as const;
  const bulk: BulkParts<NewPlant> = {
    act: createEach({ plants, caller, span: undefined, dryRun: undefined }),
    account: 1,
    guards,
    records: new BulkRecords("application/x-ndjson", BULK_READERS.readNewPlant, LONG),
    report,
    watch,
    readLong: async (text, firstLine) => readNewPlant(text, firstLine),
    rate,
  };
  return runInBulk(bulk, chunks);
}

const written = () => writes.flat().map(({ id }) => Number(id));

describe("a bulk create", () => {
  test("reads long records elsewhere, in their order, and refuses one that is none with its line", async () => {
    const long = "x".repeat(LONG);
    await create(sent(`${line(1, long)}{"id":2,"more":"${long}"}\n${line(3, "Fern")}`));
    expect(written()).toEqual([1, 3]);
    expect(report.errors.map(({ line: refused, failure }) => [refused, failure.code])).toEqual([
      [2, "body-not-a-plant"],
    ]);
  });

  test("lets others go on by time, however few bytes its refused lines have", async () => {
    clock[Symbol.dispose]();
    let turns = 0;
    let isOver = false;
    const counting = () => {
      turns++;
      if (!isOver) setImmediate(counting);
    };
    setImmediate(counting);
    await create(sent("{\n".repeat(20_000)));
    isOver = true;
    expect(report.failed).toBe(20_000);
    // By its bytes alone it would be three.
    expect(turns).toBeGreaterThan(10);
  });

  test("writes in transactions of at most 256 plants, in the order of their ids", async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1000);
    await create(sent(...ids.map((id) => line(id))));
    expect(Math.max(...writes.map((write) => write.length))).toBeLessThanOrEqual(256);
    expect(written()).toEqual([...ids].sort((a, b) => a - b));
  });

  test("and others together write one transaction at a time, so that a single create waits for no more", async () => {
    const underWay = { now: 0, most: 0 };
    disk = async () => {
      underWay.most = Math.max(underWay.most, ++underWay.now);
      await Bun.sleep(20);
      underWay.now--;
    };
    await Promise.all([1, 2, 3].map((first) => create(sent(line(first), line(first + 10)))));
    expect(written().sort((a, b) => a - b)).toEqual([1, 2, 3, 11, 12, 13]);
    expect(underWay).toEqual({ now: 0, most: 1 });
  });

  test("writes no more at once than its rate allows, and counts what it wrote", async () => {
    const counts: number[] = [];
    rate = { allow: async (wanted) => Math.min(wanted, 10), wrote: (count) => counts.push(count) };
    answer = (plants) => plants.map(({ id }) => (id === 3n ? "unchanged" : "created"));
    await create(sent(Array.from({ length: 35 }, (_, id) => line(id)).join("")));
    expect(writes.map((write) => write.length)).toEqual([10, 10, 10, 5]);
    expect(counts).toEqual([9, 10, 10, 5]);
  });
});

describe("a bulk create that cannot go on", () => {
  const failure = (promise: Promise<void>) =>
    promise.catch((error) => (error instanceof Failure ? [error.code, error.message] : ["fault", String(error)]));

  test("says that no line is sure to be on disk where the first write failed", async () => {
    answer = () => {
      throw unavailable("The storage is full");
    };
    expect(await failure(create(sent(line(1))))).toEqual([
      "unavailable",
      "The bulk create stopped, since storage cannot take more just now: no line is sure to be on disk. Send the whole again.",
    ]);
  });

  test("says up to which line everything is on disk, never more than was written", async () => {
    const records = 60_000;
    answer = (plants, number) => {
      if (number === 100) throw unavailable("The storage is full");
      return plants.map(() => "created");
    };
    async function* all() {
      for (let id = 1; id <= records; id += 500) {
        yield Buffer.from(Array.from({ length: 500 }, (_, index) => line(id + index)).join(""));
      }
    }
    const [code, message] = (await failure(create(all()))) ?? [];
    expect(code).toBe("unavailable");
    const lines = Number(/up to line (\d+) is on disk/.exec(message ?? "")?.[1] ?? 0);
    const ids = new Set(written());
    expect(lines).toBeGreaterThan(0);
    for (let id = 1; id <= lines; id++) expect(ids.has(id)).toBe(true);
  });

  test("names the reason of its end", async () => {
    watch = {
      reason: "the service is shutting down",
      requireGoingOn() {
        throw unavailable("The service is shutting down");
      },
    };
    const [, message] = (await failure(create(sent(line(1))))) ?? [];
    expect(message).toStartWith("The bulk create stopped, since the service is shutting down: ");
    expect(writes).toEqual([]);
  });

  test("passes on the failure of a body that broke off, with what came before it on disk", async () => {
    async function* broken() {
      yield Buffer.from(line(1));
      throw new Failure("body-not-json", "The body broke off before its end");
    }
    expect(await failure(create(broken()))).toEqual(["body-not-json", "The body broke off before its end"]);
  });

  test("is a fault where the store fails in an unknown way", async () => {
    answer = () => {
      throw new TypeError("a fault");
    };
    expect(await failure(create(sent(line(1))))).toEqual(["fault", "TypeError: a fault"]);
  });
});
