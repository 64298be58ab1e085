import {
  isPassedOver,
  LINE_FEED,
  namedSeparator,
  RecordScanner,
  withoutLineBreak,
  withoutMark,
} from "#contract/record-scanner.ts";
import type { BulkFormat } from "./bulk-format.ts";
import { joined } from "./stream.ts";

/** The number of refused records that one answer can name. */
export const BATCH_RECORDS_MAX = 10_000;
/** A batch is held until it is answered, since it may have to be sent again. */
const BATCH_SIZE_BYTES = 4 * 1024 * 1024;
/** Far above the service's limit, so that a record too large for the service is still sent, refused and reported. */
const RECORD_SIZE_BYTES_MAX = 16 * 1024 * 1024;

/** A run of whole records, byte for byte as in the source. */
export interface RecordBatch {
  /** The CSV header with its line break, which every batch starts with. */
  readonly header: Uint8Array<ArrayBuffer>;
  readonly headerLines: number;
  /** The records with their line breaks, by the line of the source, counted from 1, at which each starts. */
  readonly records: ReadonlyMap<number, Uint8Array<ArrayBuffer>>;
  /** The bytes of the source since the batch before. */
  readonly bytes: number;
  /** The number of lines of the source up to the end of this batch. */
  readonly linesEnded: number;
  /** True for the first batch of the source. */
  readonly first: boolean;
}

/** Cuts a source into batches of at most so many records, without parsing them, holding one batch at a time. */
export async function* batchesOf(
  chunks: AsyncIterable<Uint8Array>,
  format: BulkFormat,
  recordsMax: () => number = () => BATCH_RECORDS_MAX,
): AsyncGenerator<RecordBatch> {
  const scanner = new RecordScanner({ quotes: format === "csv" });
  const builder = new BatchBuilder(format === "csv", recordsMax);
  for await (const chunk of chunks) {
    // A copy, since the source may use the chunk's memory again.
    const bytes = chunk.slice();
    for (let from = 0, end = 0; from < bytes.length; from = end) {
      const found = scanner.endOfRecord(bytes, from);
      end = found < 0 ? bytes.length : found;
      builder.add(bytes.subarray(from, end));
      if (found >= 0) builder.endRecord(scanner.lines);
      if (builder.full) yield builder.drain();
    }
  }
  builder.endRecord(scanner.lines);
  if (!builder.empty) yield builder.drain();
}

class BatchBuilder {
  #header: Uint8Array<ArrayBuffer> | undefined;
  #headerLines = 0;
  #records = new Map<number, Uint8Array<ArrayBuffer>>();
  /** The lines that are passed over before the header, which are sent with it. */
  #leading: Uint8Array<ArrayBuffer>[] = [];
  /** The bytes of the record that has not ended yet. */
  #parts: Uint8Array<ArrayBuffer>[] = [];
  #partBytes = 0;
  #bytes = 0;
  #linesEnded = 0;
  #first = true;

  constructor(
    hasHeader: boolean,
    private readonly recordsMax: () => number,
  ) {
    if (!hasHeader) this.#header = new Uint8Array();
  }

  get full(): boolean {
    const { size } = this.#records;
    return size >= this.recordsMax() || (size > 0 && this.#bytes >= BATCH_SIZE_BYTES);
  }

  /** True if nothing is left to send. An empty first batch is sent too, since the service may refuse its header. */
  get empty(): boolean {
    return this.#records.size === 0 && !this.#first;
  }

  add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    if (this.#partBytes <= RECORD_SIZE_BYTES_MAX) return;
    const mebibytes = RECORD_SIZE_BYTES_MAX / 1024 / 1024;
    throw new RangeError(
      `The record at line ${this.#linesEnded + 1} has more than ${mebibytes} MiB; is a quote missing, or a line's end?`,
    );
  }

  /** Ends a record, which is all bytes added since the last one. `linesEnded` lines of the source end with it. */
  endRecord(linesEnded: number): void {
    if (this.#partBytes === 0) return;
    const [whole = new Uint8Array(), ...more] = this.#parts;
    const bytes = more.length === 0 ? whole : joined(this.#parts);
    if (this.#header) {
      this.#records.set(this.#linesEnded + 1, bytes);
    } else if (this.#isBeforeHeader(bytes)) {
      this.#leading.push(bytes);
    } else {
      this.#header = terminated(joined([...this.#leading, bytes]));
      this.#headerLines = linesEnded;
    }
    this.#bytes += this.#partBytes;
    this.#parts = [];
    this.#partBytes = 0;
    this.#linesEnded = linesEnded;
  }

  #isBeforeHeader(bytes: Uint8Array): boolean {
    if (this.#linesEnded > 0) return isPassedOver(bytes, { csv: true });
    return isPassedOver(withoutMark(bytes), { csv: true }) || namedSeparator(bytes) !== undefined;
  }

  drain(): RecordBatch {
    const batch = {
      header: this.#header ?? new Uint8Array(),
      headerLines: this.#headerLines,
      records: this.#records,
      bytes: this.#bytes,
      linesEnded: this.#linesEnded,
      first: this.#first,
    };
    this.#records = new Map();
    this.#bytes = 0;
    this.#first = false;
    return batch;
  }
}

export function batchBody({ header, records }: RecordBatch): Blob {
  return new Blob([header, ...records.values()]);
}

/** The record at a line of the sent batch, without the end of its line, and its line of the source. */
export function sourceRecord({ headerLines, records }: RecordBatch, sentLine: number) {
  const [firstLine = 1] = records.keys();
  const line = sentLine - headerLines - 1 + firstLine;
  return { line, record: withoutLineBreak(records.get(line) ?? new Uint8Array()) };
}

function terminated(header: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return header.at(-1) === LINE_FEED ? header : joined([header, Uint8Array.of(LINE_FEED)]);
}
