import type { BulkRecord, BulkRecords } from "#contract/v1/bulk-records.ts";
import type { BulkReport } from "#contract/v1/bulk-report.ts";
import type { Actor } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber, NewPlant } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { BulkWindow } from "./bulk-window.ts";
import type { Guards } from "./guards.ts";
import type { ImportWatch } from "./import-watch.ts";

/** One import reads at a time, and accounts in turn, so that many imports hold others up no longer than one does. */
const IMPORT_TURN = THREAD_TIME.row("reading of imports", "account", { all: 1, unit: "ms" }, "others have their turn");

export interface BulkCreateParts {
  readonly plants: Pick<PlantRecords, "createMany">;
  readonly account: AccountNumber;
  /** The person who creates them; undefined for a program. */
  readonly by: Actor<"event"> | undefined;
  readonly guards: Pick<Guards, "parseTurns" | "writeTurns">;
  readonly records: BulkRecords;
  readonly report: BulkReport;
  readonly watch: Pick<ImportWatch, "reason" | "requireGoingOn">;
  readonly span: RequestSpan | undefined;
  /** Reads a record that is too long to be read at once. Throws as the contract's readers do. */
  readonly readLong: (text: string, line: number) => NewPlant | Promise<NewPlant>;
  /** Waits until at least one of the wanted records may be written. Resolves with the number of records allowed. */
  readonly allow: (wanted: number) => Promise<number>;
}

/**
 * Creates the plants of a bulk body as it arrives. One window is read while the one before it is written, and a faster
 * sender is held back. If it cannot continue, it rejects with the line up to which everything is on disk.
 */
export async function createInBulk(bulk: BulkCreateParts, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const progress = new Progress();
  try {
    for await (const window of windows(bulk, chunks)) {
      const { linesRead } = bulk.records;
      await progress.written();
      progress.begin(write(bulk, window), linesRead);
    }
    await progress.written();
  } catch (error) {
    await progress.written().catch(() => {});
    throw error instanceof Failure ? stopped(error, progress.linesKept, bulk.watch.reason) : error;
  }
}

/** The window that is being written, and the lines up to which everything is on disk. */
class Progress {
  linesKept = 0;
  #linesWriting = 0;
  #writing = Promise.resolve();

  begin(writing: Promise<void>, lines: number): void {
    this.#writing = writing;
    // Awaited before the next window is written; until then its failure must not count as unhandled.
    writing.catch(() => {});
    this.#linesWriting = lines;
  }

  async written(): Promise<void> {
    await this.#writing;
    this.linesKept = this.#linesWriting;
  }
}

/** Two windows that alternate: when the next one is requested, the one before the last has been written. */
async function* windows(bulk: BulkCreateParts, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BulkWindow> {
  let [window, other] = [new BulkWindow(), new BulkWindow()];
  let since = performance.now();
  for await (const records of groups(bulk, chunks)) {
    for (const record of records) {
      const read = "text" in record ? await readLong(bulk, record) : record;
      if ("plant" in read) window.add(read);
      else bulk.report.refuse(read.line, read.failure);
    }
    // A slow upload is written once a second.
    if (!window.isFull && performance.now() - since < 1000) continue;
    yield window;
    [window, other] = [other, window];
    window.clear();
    since = performance.now();
  }
  yield window;
}

async function readLong(
  { readLong }: BulkCreateParts,
  { line, text }: { readonly line: number; readonly text: string },
) {
  try {
    return { line, plant: await readLong(text, line) };
  } catch (failure) {
    if (failure instanceof Failure) return { line, failure };
    throw failure;
  }
}

/** Bytes without a record's end that are read without a look at the clock. */
const PIECE_BYTES = 16 * 1024;

async function* groups(
  { account, records, guards }: Pick<BulkCreateParts, "account" | "records" | "guards">,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BulkRecord[]> {
  for await (const chunk of chunks) {
    const reading = inPieces(records, chunk);
    for (let isOver = false; !isOver; ) {
      const group: BulkRecord[] = [];
      const turn = async () => {
        isOver = readTurn(reading, group);
        await new Promise(setImmediate);
      };
      await guards.parseTurns.run(account, turn, { admitted: true });
      yield group;
    }
  }
  yield [...records.end()].filter((record) => record !== undefined);
}

function* inPieces(records: BulkRecords, chunk: Uint8Array): Generator<BulkRecord | undefined> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    yield* records.push(chunk.subarray(at, at + PIECE_BYTES));
    yield undefined;
  }
}

/** Returns true at the end. A long record ends the turn, since its text occupies memory until it is read. */
function readTurn(reading: Generator<BulkRecord | undefined>, group: BulkRecord[]): boolean {
  const end = performance.now() + IMPORT_TURN.all;
  for (let looks = 1; ; looks++) {
    const { done, value } = reading.next();
    if (done) return true;
    if (value) group.push(value);
    const isLong = value && "text" in value;
    // Four records are read without a look at the clock; each takes 0.03 ms at most.
    if (isLong || (looks % 4 === 0 && performance.now() >= end)) return false;
  }
}

async function write(
  { plants, account, by, guards, report, watch, span, allow }: BulkCreateParts,
  window: BulkWindow,
): Promise<void> {
  for (const slice of window.slices()) {
    for (let at = 0; at < slice.length; ) {
      watch.requireGoingOn();
      const records = slice.slice(at, at + (await allow(slice.length - at)));
      const created = records.map(({ plant }) => plant);
      const outcomes = await guards.writeTurns.run(account, () => plants.createMany(account, created, span, by), {
        admitted: true,
      });
      for (const [index, { line, plant }] of records.entries()) report.count(line, plant, outcomes[index]);
      at += records.length;
    }
  }
}

/** Names the line up to which everything is on disk, where the import stopped between its records. */
function stopped(error: Failure, linesKept: number, reason?: string): Failure {
  const kept = linesKept === 0 ? "no line is sure to be on disk" : `everything up to line ${linesKept} is on disk`;
  const { code, detail } = error;
  if (reason === undefined && code === "body-too-large") return new Failure(code, `${error.message}; ${kept}`, detail);
  if (reason === undefined && code !== "unavailable") return error;
  const why = reason ?? "storage cannot take more just now";
  const message = `The bulk create stopped, since ${why}: ${kept}. Send the whole again.`;
  return new Failure(code, message, { ...detail, cause: error });
}
