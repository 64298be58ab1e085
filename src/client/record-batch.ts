import { isBlank, RecordScanner, withoutLineBreak, withoutMark } from "#contract/record-scanner.ts";
import type { BulkFormat } from "./bulk-format.ts";

/** The number of refused records that one answer can name. */
export const BATCH_RECORDS_MAX = 10_000;
/** A batch is held until it is answered, since it may have to be sent again. */
const BATCH_SIZE_BYTES = 4 * 1024 * 1024;
/** Far above the service's limit, so that a record too large for the service is still sent, refused and reported. */
const RECORD_SIZE_BYTES_MAX = 16 * 1024 * 1024;
const CAPACITY_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/** A run of whole records, byte for byte as in the source. */
export interface RecordBatch {
  /** The CSV header with its line break, which every batch starts with. */
  readonly header: Uint8Array<ArrayBuffer>;
  readonly headerLines: number;
  readonly records: Uint8Array<ArrayBuffer>;
  /** The line of the source, counted from 1, at which each record starts. */
  readonly recordLines: readonly number[];
  /** The offset of each record in `records`. */
  readonly recordOffsets: readonly number[];
  /** The number of lines of the source up to the end of this batch. */
  readonly linesEnded: number;
  /** True for the first batch of the source. */
  readonly first: boolean;
}

/** Cuts a source into batches without parsing its records, holding one batch at a time. */
export async function* batchesOf(chunks: AsyncIterable<Uint8Array>, format: BulkFormat): AsyncGenerator<RecordBatch> {
  const scanner = new RecordScanner({ quotes: format === "csv" });
  const builder = new BatchBuilder(format === "csv");
  for await (const chunk of chunks) {
    for (let from = 0, end = 0; from < chunk.length; from = end) {
      const found = scanner.endOfRecord(chunk, from);
      end = found < 0 ? chunk.length : found;
      builder.add(chunk.subarray(from, end));
      if (found >= 0) builder.endRecord(scanner.lines);
      if (builder.full) yield builder.take();
    }
  }
  builder.endRecord(scanner.lines);
  if (!builder.empty) yield builder.take();
}

class BatchBuilder {
  #buffer = new Uint8Array(CAPACITY_BYTES);
  #size = 0;
  #recordStart = 0;
  #recordLines: number[] = [];
  #recordOffsets: number[] = [];
  #header: Uint8Array<ArrayBuffer> | undefined;
  #headerLines = 0;
  #linesEnded = 0;
  #batchesTaken = 0;

  constructor(hasHeader: boolean) {
    if (!hasHeader) this.#header = new Uint8Array();
  }

  get full(): boolean {
    return this.#recordLines.length === BATCH_RECORDS_MAX || this.#recordStart >= BATCH_SIZE_BYTES;
  }

  /**
   * True if nothing is left to send. The first batch is sent even if it is empty, since the service may refuse its
   * header.
   */
  get empty(): boolean {
    return this.#recordLines.length === 0 && this.#batchesTaken > 0;
  }

  add(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size - this.#recordStart > RECORD_SIZE_BYTES_MAX) {
      const mebibytes = RECORD_SIZE_BYTES_MAX / 1024 / 1024;
      throw new RangeError(
        `The record at line ${this.#linesEnded + 1} has more than ${mebibytes} MiB; is a quote missing, or a line's end?`,
      );
    }
    if (size > this.#buffer.length) this.#grow(size);
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /**
   * Ends a record, which consists of all bytes added since the last one. `linesEnded` lines of the source end with it.
   */
  endRecord(linesEnded: number): void {
    if (this.#size === this.#recordStart) return;
    if (this.#header) {
      this.#recordLines.push(this.#linesEnded + 1);
      this.#recordOffsets.push(this.#recordStart);
    } else if (!isBlank(withoutMark(this.#buffer.subarray(0, this.#size)))) {
      this.#header = terminated(this.#buffer.slice(0, this.#size));
      this.#headerLines = linesEnded;
      this.#size = 0;
    }
    this.#recordStart = this.#size;
    this.#linesEnded = linesEnded;
  }

  take(): RecordBatch {
    const batch = {
      header: this.#header ?? new Uint8Array(),
      headerLines: this.#headerLines,
      records: this.#buffer.slice(0, this.#size),
      recordLines: this.#recordLines,
      recordOffsets: this.#recordOffsets,
      linesEnded: this.#linesEnded,
      first: this.#batchesTaken === 0,
    };
    this.#size = this.#recordStart = 0;
    this.#recordLines = [];
    this.#recordOffsets = [];
    this.#batchesTaken++;
    return batch;
  }

  #grow(size: number): void {
    const larger = new Uint8Array(Math.max(size, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#size));
    this.#buffer = larger;
  }
}

/** The body of the request: the header and the records. */
export function batchBody({ header, records }: RecordBatch): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(header.length + records.length);
  body.set(header);
  body.set(records, header.length);
  return body;
}

/** Converts a line number of the sent batch to one of the source. */
export function sourceLine({ headerLines, recordLines }: RecordBatch, sentLine: number): number {
  return sentLine - headerLines - 1 + (recordLines[0] ?? 1);
}

/** The record at that line of the source, without the end of its line. */
export function recordAt({ records, recordLines, recordOffsets }: RecordBatch, line: number): Uint8Array {
  const next = firstAbove(recordLines, line);
  return withoutLineBreak(records.slice(recordOffsets[next - 1] ?? 0, recordOffsets[next] ?? records.length));
}

/** The index of the first number above `bound`, in ascending numbers. */
function firstAbove(ascending: readonly number[], bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

function terminated(header: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return header.at(-1) === LINE_FEED ? header : new Uint8Array([...header, LINE_FEED]);
}
