import { Failure } from "#core/failure.ts";
import type { BulkType } from "../bulk-type.ts";
import { BODY_SIZE_BYTES_MAX } from "../limits.ts";
import { isPassedOver, namedSeparator, withoutMark } from "../record-scanner.ts";
import { type RecordBytes, RecordSplitter } from "../record-splitter.ts";
import { type ReadHeader, readCsvHeader, readCsvRemovals, readCsvUpdates } from "./csv.ts";
import { readNewPlant } from "./new-plant.ts";
import { readPlantRemoval } from "./plant-removal.ts";
import { readPlantUpdate } from "./plant-update.ts";

/** One record of a bulk body: what it asks for, its refusal, or a long text that is yet to be read. */
export type BulkRecord<Given> = { readonly line: number } & (
  | { readonly given: Given }
  | { readonly failure: Failure }
  | { readonly text: string }
);

/** Reads the records of one kind of body. */
export interface BulkReaders<Given> {
  readonly line: (text: string, line: number) => Given;
  readonly header: ReadHeader<Given>;
}

/** The function that reads a line, for each kind of record. */
export const BULK_READERS = {
  readNewPlant: { line: readNewPlant, header: readCsvHeader },
  readPlantUpdate: { line: readPlantUpdate, header: readCsvUpdates },
  readPlantRemoval: { line: readPlantRemoval, header: readCsvRemovals },
} as const;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the records of a bulk body from its bytes as they arrive. Blank lines yield nothing or undefined, which gives its
 * caller the chance to stop for a while. A record that cannot be read yields its refusal. A CSV header without the
 * required columns throws, which refuses the whole body; so does a record without end.
 */
export class BulkRecords<Given> {
  readonly #splitter: RecordSplitter;
  readonly #isCsv: boolean;
  /** Undefined until the CSV header has been read. */
  #read: ((text: string, line: number) => Given) | undefined;
  readonly #readBytesMax: number;

  /** JSON records that are longer than `readBytesMax` are left to be read by the caller. */
  constructor(
    type: BulkType,
    private readonly readers: BulkReaders<Given>,
    readBytesMax = Number.POSITIVE_INFINITY,
  ) {
    this.#isCsv = type === "text/csv";
    this.#readBytesMax = this.#isCsv ? Number.POSITIVE_INFINITY : readBytesMax;
    this.#splitter = new RecordSplitter({ quotes: this.#isCsv, skipsEmpty: true });
    this.#read = this.#isCsv ? undefined : readers.line;
  }

  /** The number of lines before the current record. */
  get linesRead(): number {
    return this.#splitter.linesRead;
  }

  *push(chunk: Uint8Array): Generator<BulkRecord<Given> | undefined> {
    for (const bytes of this.#splitter.push(chunk)) yield this.#take(bytes);
    // A record that has no end by then is not expected to have one.
    if (this.#splitter.recordBytes > 64 * 1024 * 1024) throw endless(this.linesRead + 1);
  }

  *end(): Generator<BulkRecord<Given> | undefined> {
    for (const bytes of this.#splitter.end()) yield this.#take(bytes);
  }

  #take({ line, bytes }: RecordBytes): BulkRecord<Given> | undefined {
    if (!this.#read) {
      this.#takeHeader(line, bytes);
      return undefined;
    }
    if (bytes && isPassedOver(bytes, { csv: this.#isCsv })) return undefined;
    try {
      const text = decoded(bytes);
      return text.length > this.#readBytesMax ? { line, text } : { line, given: this.#read(text, line) };
    } catch (failure) {
      if (failure instanceof Failure) return { line, failure };
      throw failure;
    }
  }

  #takeHeader(line: number, bytes: Uint8Array | undefined): void {
    const header = line === 1 && bytes ? withoutMark(bytes) : bytes;
    if (header && isPassedOver(header, { csv: true })) return;
    const separator = line === 1 && header ? namedSeparator(header) : undefined;
    if (separator === undefined) this.#read = this.readers.header(decoded(header));
    else if (separator !== ",") throw otherSeparator(separator);
  }
}

function otherSeparator(separator: string): Failure {
  const named = separator === "" ? "no separator" : `the separator ${JSON.stringify(separator)}`;
  return new Failure(
    "body-not-a-plant",
    `Cannot read the CSV: line 1 names ${named}, and its cells must be separated by commas`,
  );
}

function endless(line: number): Failure {
  const problem = "has no end after 64 MiB, and may have 1 MiB at most";
  const message = `Cannot read the bulk body: the record that starts on line ${line} ${problem}`;
  return new Failure("body-too-large", message, { headers: { Connection: "close" } });
}

function decoded(bytes: Uint8Array | undefined): string {
  if (!bytes) {
    throw new Failure(
      "body-too-large",
      `The record is too large: it may have ${BODY_SIZE_BYTES_MAX} bytes (1 MiB) at most`,
    );
  }
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Failure("body-not-json", "Cannot read the record: it must be UTF-8, and holds bytes that are not");
  }
}
