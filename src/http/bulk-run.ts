import type { BulkRecord, BulkRecords } from "#contract/v1/bulk-records.ts";
import type { BulkOutcome, BulkReport } from "#contract/v1/bulk-report.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";
import { type BulkColumns, BulkWindow } from "./bulk-window.ts";
import type { Guards } from "./guards.ts";
import type { ImportWatch } from "./import-watch.ts";
import type { BulkRate } from "./rate-limit.ts";

/** One import reads at a time, and accounts in turn, so that many imports hold others up no longer than one does. */
const IMPORT_TURN = THREAD_TIME.row("reading of imports", "account", { all: 1, unit: "ms" }, "others have their turn");

/** The outcomes of records that count for the rate. */
const WRITTEN: ReadonlySet<BulkOutcome> = new Set(["created", "updated", "removed"]);

/** The operation that a bulk request applies to its records. */
export interface BulkAct<Given extends Identified> {
  /** The noun for messages, as in "The bulk create stopped". A dry run writes nothing. */
  readonly noun: "bulk create" | "bulk removal" | "dry run";
  readonly columns: BulkColumns<Given>;
  /** Those that the answer counts, in its order. */
  readonly outcomes: readonly BulkOutcome[];
  /** The outcome of each record, in order, or its refusal. What it resolves with is on disk. */
  act(given: readonly Given[]): Promise<readonly (BulkOutcome | Failure)[]>;
}

type Identified = { readonly id: bigint };

export interface BulkParts<Given extends Identified> {
  readonly act: BulkAct<Given>;
  readonly account: AccountNumber;
  readonly guards: Pick<Guards, "parseTurns" | "writeTurns">;
  readonly records: BulkRecords<Given>;
  readonly report: BulkReport;
  readonly watch: Pick<ImportWatch, "reason" | "requireGoingOn">;
  /** Reads a record that is too long to be read at once. Throws as the contract's readers do. */
  readonly readLong: (text: string, line: number) => Given | Promise<Given>;
  /** Undefined if nothing limits it. */
  readonly rate: Pick<BulkRate, "allow" | "wrote"> | undefined;
}

/**
 * Does the records of a bulk body as they arrive. One window is read while the one before it is written, and a faster
 * sender is held back. If it cannot continue, it rejects with the line up to which everything is on disk.
 */
export async function runInBulk<Given extends Identified>(
  bulk: BulkParts<Given>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
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
    throw error instanceof Failure ? stopped(error, bulk.act.noun, progress.linesKept, bulk.watch.reason) : error;
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
async function* windows<Given extends Identified>(
  bulk: BulkParts<Given>,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BulkWindow<Given>> {
  let [window, other] = [new BulkWindow(bulk.act.columns), new BulkWindow(bulk.act.columns)];
  let since = performance.now();
  for await (const records of groups(bulk, chunks)) {
    for (const record of records) {
      const read = "text" in record ? await readLong(bulk, record) : record;
      if ("given" in read) window.add(read);
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

async function readLong<Given extends Identified>(
  { readLong }: BulkParts<Given>,
  { line, text }: { readonly line: number; readonly text: string },
) {
  try {
    return { line, given: await readLong(text, line) };
  } catch (failure) {
    if (failure instanceof Failure) return { line, failure };
    throw failure;
  }
}

/** Bytes without a record's end that are read without a look at the clock. */
const PIECE_BYTES = 16 * 1024;

async function* groups<Given extends Identified>(
  { account, records, guards }: Pick<BulkParts<Given>, "account" | "records" | "guards">,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<BulkRecord<Given>[]> {
  for await (const chunk of chunks) {
    const reading = inPieces(records, chunk);
    for (let isOver = false; !isOver; ) {
      const group: BulkRecord<Given>[] = [];
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

function* inPieces<Given>(records: BulkRecords<Given>, chunk: Uint8Array): Generator<BulkRecord<Given> | undefined> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    yield* records.push(chunk.subarray(at, at + PIECE_BYTES));
    yield undefined;
  }
}

/** Returns true at the end. A long record ends the turn, since its text occupies memory until it is read. */
function readTurn<Given>(reading: Generator<BulkRecord<Given> | undefined>, group: BulkRecord<Given>[]): boolean {
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

async function write<Given extends Identified>(
  { act, account, guards, report, watch, rate }: BulkParts<Given>,
  window: BulkWindow<Given>,
): Promise<void> {
  for (const slice of window.slices()) {
    for (let at = 0; at < slice.length; ) {
      watch.requireGoingOn();
      const left = slice.length - at;
      const records = slice.slice(at, at + ((await rate?.allow(left)) ?? left));
      const given = records.map((record) => record.given);
      const outcomes = await guards.writeTurns.run(account, () => act.act(given), { admitted: true });
      for (const [index, { line }] of records.entries()) {
        const outcome = outcomes[index];
        if (outcome instanceof Failure) report.refuse(line, outcome);
        else if (outcome) report.count(outcome);
      }
      rate?.wrote(outcomes.filter((outcome) => typeof outcome === "string" && WRITTEN.has(outcome)).length);
      at += records.length;
    }
  }
}

/** Names the line up to which everything is on disk, where the request stopped between its records. */
function stopped(error: Failure, noun: BulkAct<Identified>["noun"], linesKept: number, reason?: string): Failure {
  const onDisk = linesKept === 0 ? "no line is sure to be on disk" : `everything up to line ${linesKept} is on disk`;
  const kept = noun === "dry run" ? "it has written nothing" : onDisk;
  const { code, detail } = error;
  if (reason === undefined && code === "body-too-large") return new Failure(code, `${error.message}; ${kept}`, detail);
  if (reason === undefined && code !== "unavailable") return error;
  const why = reason ?? "storage cannot take more just now";
  const message = `The ${noun} stopped, since ${why}: ${kept}. Send the whole again.`;
  return new Failure(code, message, { ...detail, cause: error });
}
