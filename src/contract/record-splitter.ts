import { BODY_SIZE_BYTES_MAX } from "./limits.ts";
import { RecordScanner, withoutLineBreak } from "./record-scanner.ts";

/** One record of a bulk body without its line break; also blank ones. */
export interface RecordBytes {
  /**
   * The line on which the record starts, counted from 1 as an editor does: CR, LF and CRLF each end a line, in quotes
   * too.
   */
  readonly line: number;
  /** Valid until the next record is requested; undefined if the record is longer than allowed. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Cuts a stream of bytes into records: lines, or with `quotes` CSV records, whose quoted fields may hold line breaks.
 * Chunks may end anywhere. It holds at most one record of the maximum size, and skips a longer one.
 */
export class RecordSplitter {
  readonly #scanner: RecordScanner;
  readonly #skipsEmpty: boolean;
  readonly #sizeMax: number;
  #recordLine = 1;
  #held = new Uint8Array();
  #heldSize = 0;

  /** `skipsEmpty` skips empty lines, which takes a hundredth of the time of yielding them. */
  constructor(options: { readonly quotes: boolean; readonly sizeMax?: number; readonly skipsEmpty?: boolean }) {
    this.#scanner = new RecordScanner(options);
    this.#skipsEmpty = options.skipsEmpty ?? false;
    this.#sizeMax = options.sizeMax ?? BODY_SIZE_BYTES_MAX;
  }

  /** The number of lines before the current record. */
  get linesRead(): number {
    return this.#recordLine - 1;
  }

  get recordBytes(): number {
    return this.#heldSize;
  }

  *push(chunk: Uint8Array): Generator<RecordBytes> {
    let start = this.#heldSize === 0 ? this.#afterEmpty(chunk, 0) : 0;
    while (start < chunk.length) {
      const end = this.#scanner.endOfRecord(chunk, start);
      if (end < 0) return this.#hold(chunk.subarray(start));
      yield this.#finished(chunk.subarray(start, end), true);
      start = this.#afterEmpty(chunk, end);
    }
  }

  /** Yields the last record if no line break ended it. */
  *end(): Generator<RecordBytes> {
    if (this.#heldSize > 0) yield this.#finished(new Uint8Array(), this.#scanner.ended);
  }

  #finished(last: Uint8Array, hasLineBreak: boolean): RecordBytes {
    const whole = this.#heldSize === 0 ? last : this.#joined(last);
    const bytes = whole && hasLineBreak ? withoutLineBreak(whole) : whole;
    const record = { line: this.#recordLine, bytes: bytes && bytes.length > this.#sizeMax ? undefined : bytes };
    this.#recordLine = this.#scanner.lines + 1;
    this.#heldSize = 0;
    return record;
  }

  #joined(last: Uint8Array): Uint8Array | undefined {
    this.#hold(last);
    return this.#heldSize > this.#capacityMax ? undefined : this.#held.subarray(0, this.#heldSize);
  }

  #afterEmpty(chunk: Uint8Array, from: number): number {
    const index = this.#skipsEmpty ? this.#scanner.afterEmptyLines(chunk, from) : from;
    if (index > from) this.#recordLine = this.#scanner.lines + 1;
    return index;
  }

  /** A record of the greatest size, with CRLF. */
  get #capacityMax(): number {
    return this.#sizeMax + 2;
  }

  /** Stores a copy, since the stream may reuse the chunk's memory; of a record that is too long only its size. */
  #hold(rest: Uint8Array): void {
    const size = this.#heldSize + rest.length;
    if (size <= this.#capacityMax) {
      if (size > this.#held.length) this.#held = grown(this.#held, Math.min(2 * size, this.#capacityMax));
      this.#held.set(rest, this.#heldSize);
    }
    this.#heldSize = size;
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}
