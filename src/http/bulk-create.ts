import type { BulkRecord, BulkRecords } from "#contract/bulk-records.ts";
import type { BulkReport } from "#core/bulk-report.ts";
import { BulkWindow } from "#core/bulk-window.ts";
import { Failure, unavailable } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantStore } from "#core/store.ts";

export interface BulkCreate {
  readonly plants: PlantStore;
  readonly account: AccountNumber;
  readonly records: BulkRecords;
  readonly report: BulkReport;
  /** Asked before each transaction: a service that is told to stop cannot wait for the longest body. */
  readonly mustStop: () => boolean;
}

/** A slow upload is written this often, however few its records are. */
const WINDOW_MS_MAX = 1000;

/**
 * Creates the plants of a bulk body as it arrives: one window is read while the one before it is written, and a faster
 * sender is held back. Rejects with "unavailable", and the line up to which everything is on disk, when storage fails.
 */
export async function createInBulk(bulk: BulkCreate, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let writing = Promise.resolve();
  let linesKept = 0;
  for await (const window of windows(bulk, chunks)) {
    const { linesRead } = bulk.records;
    await writing;
    writing = write(bulk, window, linesKept);
    // Awaited before the next window is written; until then its failure must not count as unhandled.
    writing.catch(() => {});
    linesKept = linesRead;
  }
  await writing;
}

/** Two windows by turns: who asks for the next has written the one before the last. */
async function* windows(bulk: BulkCreate, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BulkWindow> {
  let [window, other] = [new BulkWindow(), new BulkWindow()];
  let since = performance.now();
  for await (const records of groups(bulk.records, chunks)) {
    for (const record of records) {
      if ("plant" in record) window.add(record);
      else bulk.report.refuse(record.line, record.failure);
    }
    if (!window.isFull && performance.now() - since < WINDOW_MS_MAX) continue;
    yield window;
    [window, other] = [other, window];
    window.clear();
    since = performance.now();
  }
  yield window;
}

const GROUP_LENGTH_MAX = 64;
/** Reading gives way to other requests after this long. */
const TURN_MS_MAX = 2;

async function* groups(records: BulkRecords, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BulkRecord[]> {
  let turn = performance.now();
  for await (const chunk of chunks) {
    let group: BulkRecord[] = [];
    for (const record of records.push(chunk)) {
      if (group.push(record) < GROUP_LENGTH_MAX) continue;
      yield group;
      group = [];
      if (performance.now() - turn < TURN_MS_MAX) continue;
      await new Promise(setImmediate);
      turn = performance.now();
    }
    yield group;
  }
  yield [...records.end()];
}

async function write(bulk: BulkCreate, window: BulkWindow, linesKept: number): Promise<void> {
  const { plants, account, report } = bulk;
  for (const slice of window.slices()) {
    if (bulk.mustStop()) throw stopped(linesKept, "the service is shutting down");
    try {
      const created = slice.map(({ plant }) => plant);
      const outcomes = await plants.createMany(account, created);
      for (const [place, { line, plant }] of slice.entries()) report.count(line, plant, outcomes[place]);
    } catch (error) {
      const isOutage = error instanceof Failure && error.code === "unavailable";
      throw isOutage ? stopped(linesKept, "storage cannot take more just now", error) : error;
    }
  }
}

function stopped(linesKept: number, reason: string, cause?: unknown): Failure {
  const kept = linesKept === 0 ? "no line is sure to be on disk" : `everything up to line ${linesKept} is on disk`;
  return unavailable(`The bulk create stopped, since ${reason}: ${kept}. Send the whole again.`, cause);
}
